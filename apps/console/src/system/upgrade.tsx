import '../deployments/deployments.css'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { rpc } from '../api/client.js'
import { errorText } from '../api/error-text.js'
import { isRunning, upgrade as upgradeQuery } from '../api/queries/system.js'
import type { UpgradeRecord } from '../api/queries/system.js'
import { JobStateMark } from '../deployments/job-state.js'
import { Action } from '../form/form.js'
import { Loaded } from '../state/loaded.js'
import { Age, Time } from '../ui/age.js'
import { Card, Facts } from '../ui/card.js'
import { Meter } from '../ui/meter.js'
import { Page } from '../ui/page.js'
import { toast } from '../ui/toast.js'
import { t } from '../words/text.js'
import { waveSizes } from './wave-sizes.js'
import { Waves } from './waves.js'

/** An upgrade of agents, live until it has ended. */
export function Upgrade() {
  const { id } = useParams({ from: '/system/upgrades/$id' })
  const found = useQuery(upgradeQuery(Number(id)))
  return <Loaded query={found}>{(upgrade) => <UpgradePage upgrade={upgrade} />}</Loaded>
}

function UpgradePage({ upgrade }: { readonly upgrade: UpgradeRecord }) {
  const { state, version, message, targets, progress } = upgrade
  return (
    <Page
      title={t('upgrades.to', { version })}
      crumbs={<Link to="/system">{t('nav.system')}</Link>}
      state={<JobStateMark state={state} />}
      actions={<Cancel upgrade={upgrade} />}
    >
      {message !== '' && <p className={state === 'COMPLETED_FAILED' ? 'banner bad' : 'banner'}>{message}</p>}
      <div className="plan-columns">
        <Card title={t('job.targets')} className="targets">
          {isRunning(upgrade) && (
            <div className="job-progress">
              <Meter pct={progress} label={t('job.progress', { pct: String(progress) })} />
              <span className="num">{progress} %</span>
            </div>
          )}
          <Waves targets={targets} />
        </Card>
        <Card title={t('job.about')}>
          <Facts
            facts={[
              [t('upgrades.waves'), waveSizes(targets).join(' · ')],
              [t('job.created'), <Time key="c" at={upgrade.created} />],
              [t('job.started'), <Age key="s" at={upgrade.started} />],
              [t('upgrades.finished'), <Time key="f" at={upgrade.finished} />],
              [
                t('job.by'),
                <Link key="a" to="/audit" search={{ resource: 'agent_upgrades', resource_id: String(upgrade.id) }}>
                  {t('nav.audit')}
                </Link>,
              ],
            ]}
          />
        </Card>
      </div>
    </Page>
  )
}

/** Nodes that have not begun are left alone; one that is offline gets the upgrade later, also after the end. */
function Cancel({ upgrade: { id, targets } }: { readonly upgrade: UpgradeRecord }) {
  const queries = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => rpc.agentUpgrades.cancel.mutate({ id }),
    onSuccess: (now) => queries.setQueryData(upgradeQuery(id).queryKey, now),
    onError: (error) => toast(errorText(error)),
  })
  if (!targets.some(({ state }) => state === 'waiting' || state === 'offline')) return null
  return (
    <Action isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
      {t('job.cancel')}
    </Action>
  )
}
