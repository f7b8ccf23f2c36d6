import { useQuery } from '@tanstack/react-query'
import { HardDrive } from '../ui/icons.js'
import { capacity, forecast } from '../api/queries/clusters.js'
import type { inferOutput } from '../api/queries/output.js'
import type { rpc } from '../api/client.js'
import { percent, terabytes } from '../format/numbers.js'
import { Loaded } from '../state/loaded.js'
import { Card } from '../ui/card.js'
import { Empty } from '../ui/empty.js'
import { Meter } from '../ui/meter.js'
import { t } from '../words/text.js'
import { fullText } from './full-text.js'
import type { SetForecast } from './full-text.js'

type CapacityElement = inferOutput<typeof rpc.clusters.capacity.query>['capacity'][number]

/** How full each set of policies is, and when it will be full. */
export function Fullness({ cluster }: { readonly cluster: number }) {
  const sets = useQuery(capacity(cluster))
  const forecasts = useQuery(forecast(cluster))
  return (
    <Card title={t('overview.full')}>
      <Loaded query={sets}>
        {({ capacity: elements }) => <RingSets elements={elements} forecasts={forecasts.data?.forecast ?? []} />}
      </Loaded>
    </Card>
  )
}

interface RingSetsProps {
  readonly elements: readonly CapacityElement[]
  readonly forecasts: readonly SetForecast[]
}

function RingSets({ elements, forecasts }: RingSetsProps) {
  if (elements.length === 0)
    return (
      <Empty icon={HardDrive} title={t('overview.noDevices')}>
        <p>{t('overview.noDevices.next')}</p>
      </Empty>
    )
  return (
    <div className="sets">
      {elements.map((element) => {
        const found = forecasts.find(({ ring_set: set }) => set === element.ring_set)
        return <RingSet key={element.ring_set} element={element} forecast={found} />
      })}
    </div>
  )
}

function RingSet({
  element,
  forecast,
}: {
  readonly element: CapacityElement
  readonly forecast: SetForecast | undefined
}) {
  const { ring_set: set, total_used_tb: used, total_raw_tb: raw, total_used_pct: pct, pct_used_stats: stats } = element
  return (
    <div className="set">
      <p className="set-head">
        <b>{set}</b>
        <span className="num muted">
          {t('overview.of', { part: terabytes(used), total: terabytes(raw) })} · <b>{percent(pct)}</b>
        </span>
      </p>
      <Meter pct={pct} label={t('overview.meter', { set, pct: percent(pct) })} />
      <p className="small muted num">
        {t('overview.devices', { count: stats.count })} · {t('overview.below', { pct: percent(stats.pct_95) })} ·{' '}
        {t('overview.fullest', { pct: percent(stats.max) })}
      </p>
      {forecast !== undefined && <p className="small set-forecast">{fullText(forecast)}</p>}
    </div>
  )
}
