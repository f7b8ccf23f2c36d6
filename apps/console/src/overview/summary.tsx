import { useQueries } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { openAlerts } from '../api/queries/alerts.js'
import { capacity, health } from '../api/queries/clusters.js'
import { deviceCount } from '../api/queries/devices.js'
import { nodeCount } from '../api/queries/nodes.js'
import { count, terabytes } from '../format/numbers.js'
import { StateMark } from '../ui/state-mark.js'
import { t } from '../words/text.js'

const outStates = ['failed', 'missing', 'unmounted']

/** The answer in one line. */
export function Summary({ cluster }: { readonly cluster: number }) {
  const [alerts, sets, rings, online, all, out] = useQueries({
    queries: [
      openAlerts(cluster),
      capacity(cluster),
      health(cluster),
      nodeCount({ cluster, state: 'online' }),
      nodeCount({ cluster }),
      deviceCount({ cluster, status: outStates }),
    ],
  })
  const elements = sets.data?.capacity ?? []
  const sum = (field: 'total_raw_tb' | 'total_used_tb' | 'total_free_tb') =>
    sets.data && terabytes(elements.reduce((total, element) => total + element[field], 0))
  return (
    <section className="card summary" aria-label={t('nav.overview')}>
      <Verdict alerts={alerts.data} />
      <Fact name={t('overview.nodesOnline')}>
        {online.data !== undefined &&
          all.data !== undefined &&
          t('overview.of', { part: online.data, total: all.data })}
      </Fact>
      <Fact name={t('overview.devicesOut')}>{out.data !== undefined && count(out.data)}</Fact>
      <Fact name={t('overview.used')}>
        {sets.data && t('overview.of', { part: sum('total_used_tb') ?? '', total: sum('total_raw_tb') ?? '' })}
      </Fact>
      <Fact name={t('overview.free')}>{sum('total_free_tb')}</Fact>
      <Fact name={t('overview.rings')}>{rings.data && ringsText(rings.data)}</Fact>
    </section>
  )
}

function ringsText({
  rings,
  rings_agree: agree,
}: {
  readonly rings: readonly unknown[]
  readonly rings_agree: boolean
}): string {
  if (rings.length === 0) return t('overview.ringsUnknown')
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
