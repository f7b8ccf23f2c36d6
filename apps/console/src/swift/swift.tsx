import './swift.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { rpc } from '../api/client.js'
import { health } from '../api/queries/clusters.js'
import type { inferOutput } from '../api/queries/output.js'
import { count, noValue } from '../format/numbers.js'
import { duration } from '../format/time.js'
import { Explained } from '../shell/explained.js'
import { ForCluster } from '../shell/for-cluster.js'
import { Loaded } from '../state/loaded.js'
import { Card, Facts } from '../ui/card.js'
import { ExportRows } from '../list/export.js'
import { Empty } from '../ui/empty.js'
import { CircleCheck, Database } from '../ui/icons.js'
import { Page } from '../ui/page.js'
import { StateMark, Tag } from '../ui/state-mark.js'
import { t, tOr } from '../words/text.js'
import { copiesOf, Rings } from './rings.js'

export type Health = inferOutput<typeof rpc.clusters.health.query>

const tones = { ok: 'ok', warn: 'warn', critical: 'bad' } as const

/** Whether the parts of Swift agree, and how far behind they are. */
export function SwiftHealth() {
  return <ForCluster title={t('nav.swift')}>{({ id }) => <ClusterHealth cluster={id} />}</ForCluster>
}

function ClusterHealth({ cluster }: { readonly cluster: number }) {
  const query = useQuery(health(cluster))
  const verdict = query.data?.verdict
  const state = verdict && (
    <Explained of="health" name="verdict">
      <StateMark tone={tones[verdict]} label={t(`swift.verdict.${verdict}`)} />
    </Explained>
  )
  return (
    <Page title={t('nav.swift')} state={state}>
      <Loaded query={query}>
        {(answer) => (
          <div className="swift">
            <Reasons health={answer} />
            <Queues health={answer} />
            <Card
              title={t('swift.rings')}
              className="wide"
              aside={<ExportRows name="rings" reads={[copiesOf(answer.rings)]} />}
            >
              {answer.rings.length === 0 ? (
                <Empty icon={Database} title={t('swift.noRings')} next={t('swift.noRings.next')} />
              ) : (
                <Rings rings={answer.rings} />
              )}
            </Card>
          </div>
        )}
      </Loaded>
    </Page>
  )
}

function Reasons({ health: { reasons } }: { readonly health: Health }) {
  return (
    <Card title={t('swift.reasons')}>
      {reasons.length === 0 ? (
        <Empty icon={CircleCheck} title={t('swift.noReasons')} />
      ) : (
        <ul className="reasons">
          {reasons.slice(0, 50).map(({ code, subject, severity, message, node }) => (
            <li key={`${code} ${subject} ${node ?? ''}`}>
              <Tag tone={severity === 'critical' ? 'bad' : 'warn'}>{tOr(`severity.${severity}`)}</Tag>
              <span>
                {message}{' '}
                <Explained of="health" name={code}>
                  {code}
                </Explained>{' '}
                {node !== null && (
                  <Link to="/nodes/$id/{-$tab}" params={{ id: node.split('/').at(-2) ?? '', tab: undefined }}>
                    {t('ui.show')}
                  </Link>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function explained(name: string, text: string) {
  return (
    <Explained key={name} of="health" name={name}>
      {text}
    </Explained>
  )
}

function Queues({ health: answer }: { readonly health: Health }) {
  const { async_pending: pending, oldest_replication: oldest, quarantined, unmounted } = answer
  const age = (kind: 'account' | 'container' | 'object') => {
    const pass = oldest[kind]
    const text = pass === null ? noValue : duration(pass.age_seconds)
    return [t('swift.oldest', { kind }), explained(`oldest_replication.${kind}`, text)] as const
  }
  return (
    <Card title={t('swift.queues')}>
      <Facts
        facts={[
          [t('swift.rings'), <Agreement key="rings_agree" agrees={answer.rings_agree} />],
          [t('swift.conf'), <Agreement key="swift_conf_agree" agrees={answer.swift_conf_agree} />],
          [t('swift.policies'), <Agreement key="policies_agree" agrees={answer.policies_agree} />],
          [t('swift.async'), explained('async_pending', count(pending))],
          age('account'),
          age('container'),
          age('object'),
          [t('swift.quarantined'), explained('quarantined.objects', count(quarantined.objects))],
          [t('swift.unmounted'), count(unmounted.length)],
        ]}
      />
    </Card>
  )
}

function Agreement({ agrees }: { readonly agrees: boolean }) {
  return <StateMark tone={agrees ? 'ok' : 'bad'} label={t(agrees ? 'swift.agree' : 'swift.differs')} />
}
