import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { rpc } from '../api/client.js'
import { errorText } from '../api/error-text.js'
import type { UpgradeRecord } from '../api/queries/system.js'
import { TextField } from '../form/fields.js'
import { Action, DialogActions, FormBody } from '../form/form.js'
import { useForm } from '../form/use-form.js'
import type { ClusterRecord } from '../shell/use-cluster.js'
import { Dialog } from '../ui/dialog.js'
import { Problem } from '../ui/problem.js'
import { t } from '../words/text.js'
import { useState } from 'react'
import { checkUpgrade, newUpgrade, upgradeInput } from './upgrade-values.js'
import type { UpgradeValues } from './upgrade-values.js'
import { waveSizes } from './wave-sizes.js'
import { Waves } from './waves.js'

interface NewUpgradeProps {
  readonly cluster: ClusterRecord
  readonly onClose: () => void
}

interface Planned {
  readonly values: UpgradeValues
  readonly plan: UpgradeRecord
}

/** Plans an upgrade of the agents of a cluster, which the server only checks, and then starts it. */
export function NewUpgrade({ cluster, onClose }: NewUpgradeProps) {
  const [planned, setPlanned] = useState<Planned | null>(null)
  return (
    <Dialog open wide onClose={onClose} title={t('upgrades.new', { cluster: cluster.name })}>
      {planned === null ? (
        <Choices cluster={cluster} onPlanned={setPlanned} onClose={onClose} />
      ) : (
        <Start {...planned} cluster={cluster} onBack={() => setPlanned(null)} />
      )}
    </Dialog>
  )
}

interface ChoicesProps extends NewUpgradeProps {
  readonly onPlanned: (planned: Planned) => void
}

function Choices({ cluster, onPlanned, onClose }: ChoicesProps) {
  const form = useForm<UpgradeValues, UpgradeRecord>({
    initial: newUpgrade,
    check: (values) => checkUpgrade(values, cluster.id),
    save: (values) => rpc.agentUpgrades.create.mutate({ ...upgradeInput(values, cluster.id), validate_only: true }),
    onSaved: (plan, values) => onPlanned({ values: { ...values, version: plan.version }, plan }),
  })
  return (
    <FormBody
      form={form}
      label={t('upgrades.new', { cluster: cluster.name })}
      actions={<DialogActions isBusy={form.isBusy} onCancel={onClose} submit={t('upgrades.plan')} />}
    >
      <p>{t('upgrades.effect')}</p>
      <TextField form={form} name="version" label={t('upgrades.version')} help={t('upgrades.version.help')} isCode />
      <div className="form-pair">
        <TextField form={form} name="canary" label={t('upgrades.canary')} help={t('upgrades.canary.help')} />
        <TextField form={form} name="wave_percent" label={t('upgrades.percent')} help={t('upgrades.percent.help')} />
      </div>
    </FormBody>
  )
}

interface StartProps extends Planned {
  readonly cluster: ClusterRecord
  readonly onBack: () => void
}

function Start({ values, plan, cluster, onBack }: StartProps) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const start = useMutation({
    mutationFn: () => rpc.agentUpgrades.create.mutate(upgradeInput(values, cluster.id)),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['deployments'] })
      void navigate({ to: '/system/upgrades/$id', params: { id: String(id) } })
    },
  })
  const sizes = waveSizes(plan.targets)
  const due = sizes.reduce((sum, size) => sum + size, 0)
  return (
    <>
      <Problem text={start.error && errorText(start.error)} />
      <p role="status">
        {t('upgrades.planned', { count: due, version: plan.version })}{' '}
        {due > 0 && t('upgrades.sizes', { sizes: sizes.join(' · ') })}
      </p>
      <Waves targets={plan.targets} />
      <div className="form-actions">
        <button type="button" className="btn" onClick={onBack}>
          {t('upgrades.back')}
        </button>
        <Action
          kind="primary"
          isBusy={start.isPending}
          reason={due === 0 ? t('upgrades.nothing') : undefined}
          onClick={() => start.mutate()}
        >
          {t('upgrades.start', { count: due })}
        </Action>
      </div>
    </>
  )
}
