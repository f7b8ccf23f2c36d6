import { useQueries } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { openAlerts } from '../api/queries/alerts.js'
import type { rpc } from '../api/client.js'
import { capacity, summary as summaryQuery } from '../api/queries/clusters.js'
import type { inferOutput } from '../api/queries/output.js'
import { count, terabytes } from '../format/numbers.js'
import { Explained } from '../shell/explained.js'
import { StateMark } from '../ui/state-mark.js'
import { t } from '../words/text.js'

/** The answer in one line. */
export function Summary({ cluster }: { readonly cluster: number }) {
  const [alerts, sets, summary] = useQueries({
    queries: [openAlerts(cluster), capacity(cluster), summaryQuery(cluster)],
  })
  return (
    <section className="card summary" aria-label={t('nav.overview')}>
      <Verdict alerts={alerts.data} />
      <Fact name={t('overview.nodesOnline')}>
        {summary.data &&
          t('overview.of', { part: summary.data.nodes.states.online ?? 0, total: summary.data.nodes.total })}
      </Fact>
      <Fact name={t('overview.devicesOut')}>{summary.data && count(devicesOut(summary.data))}</Fact>
      <Fact name={t('overview.used')}>{sets.data && <Used elements={sets.data.capacity} />}</Fact>
      <Fact name={t('overview.free')}>{sets.data && <Free elements={sets.data.capacity} />}</Fact>
      <Fact name={t('overview.rings')}>{summary.data && ringsText(summary.data)}</Fact>
    </section>
  )
}

interface SetsProps {
  readonly elements: inferOutput<typeof rpc.clusters.capacity.query>['capacity']
}

/** Returns the sum over all sets of policies, as a text. */
function sumOf({ elements }: SetsProps, field: 'total_raw_tb' | 'total_used_tb' | 'total_free_tb'): string {
  return terabytes(elements.reduce((total, element) => total + element[field], 0))
}

function Used(sets: SetsProps) {
  return (
    <Explained of="capacity">
      {t('overview.of', { part: sumOf(sets, 'total_used_tb'), total: sumOf(sets, 'total_raw_tb') })}
    </Explained>
  )
}

function Free(sets: SetsProps) {
  return <Explained of="capacity">{sumOf(sets, 'total_free_tb')}</Explained>
}

type ClusterSummary = inferOutput<typeof rpc.clusters.summary.query>

function devicesOut({ devices: { statuses } }: ClusterSummary): number {
  return (statuses.failed ?? 0) + (statuses.missing ?? 0) + (statuses.unmounted ?? 0)
}

function ringsText({ rings_agree: agree }: ClusterSummary): string {
  if (agree === null) return t('overview.ringsUnknown')
  return t(agree ? 'overview.ringsAgree' : 'overview.ringsDiffer')
}

interface VerdictProps {
  readonly alerts: { readonly total: number; readonly objects: readonly { readonly severity: string }[] } | undefined
}

function Verdict({ alerts }: VerdictProps) {
  if (alerts === undefined) return <span className="verdict muted">{t('overview.loading')}</span>
  const isBad = alerts.objects.some(({ severity }) => severity === 'critical')
  const tone = isBad ? 'bad' : 'warn'
  return (
    <span className="verdict">
      {alerts.total === 0 ? (
        <StateMark tone="ok" label={t('overview.calm')} />
      ) : (
        <StateMark tone={tone} label={t('overview.items', { count: alerts.total })} />
      )}
    </span>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <span className="fact">
      <small>{name}</small>
      <strong className="num">{children || '…'}</strong>
    </span>
  )
}
