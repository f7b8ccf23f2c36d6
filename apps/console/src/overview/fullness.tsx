import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { HardDrive } from '../ui/icons.js'
import { capacity, forecast } from '../api/queries/clusters.js'
import { fullnessOf } from '../api/queries/devices.js'
import type { inferOutput } from '../api/queries/output.js'
import type { rpc } from '../api/client.js'
import { percent, terabytes } from '../format/numbers.js'
import { Explained } from '../shell/explained.js'
import { Loaded } from '../state/loaded.js'
import { Card } from '../ui/card.js'
import { Empty } from '../ui/empty.js'
import { Bars, Meter } from '../ui/meter.js'
import { t } from '../words/text.js'
import { fullText } from '../capacity/full-text.js'
import type { SetForecast } from '../capacity/full-text.js'

type CapacityElement = inferOutput<typeof rpc.clusters.capacity.query>['capacity'][number]

/** How full each set of policies is, and when it will be full. */
export function Fullness({ cluster }: { readonly cluster: number }) {
  const sets = useQuery(capacity(cluster))
  const forecasts = useQuery(forecast(cluster))
  const fullness = useQuery(fullnessOf(cluster))
  return (
    <Card title={t('overview.full')} aside={<Link to="/capacity">{t('nav.capacity')}</Link>}>
      <Loaded query={sets}>
        {({ capacity: elements }) => (
          <RingSets
            elements={elements}
            forecasts={forecasts.data?.forecast ?? []}
            fullness={fullness.data?.fullness ?? []}
          />
        )}
      </Loaded>
    </Card>
  )
}

interface RingSetsProps {
  readonly elements: readonly CapacityElement[]
  readonly forecasts: readonly SetForecast[]
  readonly fullness: readonly { readonly ring_set: string; readonly devices: readonly number[] }[]
}

function RingSets({ elements, forecasts, fullness }: RingSetsProps) {
  if (elements.length === 0)
    return <Empty icon={HardDrive} title={t('overview.noDevices')} next={t('overview.noDevices.next')} />
  return (
    <div className="sets">
      {elements.map((element) => {
        const isSet = ({ ring_set: set }: { readonly ring_set: string }) => set === element.ring_set
        return (
          <RingSet
            key={element.ring_set}
            element={element}
            forecast={forecasts.find(isSet)}
            counts={fullness.find(isSet)?.devices}
          />
        )
      })}
    </div>
  )
}

interface RingSetProps {
  readonly element: CapacityElement
  readonly forecast: SetForecast | undefined
  /** How many devices are how full. */
  readonly counts: readonly number[] | undefined
}

function RingSet({ element, forecast, counts }: RingSetProps) {
  const { ring_set: set, total_used_tb: used, total_raw_tb: raw, total_used_pct: pct, pct_used_stats: stats } = element
  return (
    <div className="set">
      <p className="set-head">
        <b>{set}</b>
        <span className="num muted">
          {t('overview.of', { part: terabytes(used), total: terabytes(raw) })} ·{' '}
          <Explained of="capacity" name={set}>
            <b>{percent(pct)}</b>
          </Explained>
        </span>
      </p>
      <Meter pct={pct} label={t('overview.meter', { set, pct: percent(pct) })} />
      {counts !== undefined && (
        <Bars counts={counts} label={t('overview.bars', { set })} marks={['0 %', '50 %', '100 %']} />
      )}
      <p className="small muted num">
        {t('overview.devices', { count: stats.count })} · {t('overview.below', { pct: percent(stats.pct_95) })} ·{' '}
        {t('overview.fullest', { pct: percent(stats.max) })}
      </p>
      {forecast !== undefined && (
        <p className="small set-forecast">
          <Explained of="forecast" name={set}>
            {fullText(forecast)}
          </Explained>
        </p>
      )}
    </div>
  )
}
