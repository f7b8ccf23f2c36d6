import './capacity.css'
import { useQueries } from '@tanstack/react-query'
import type { rpc } from '../api/client.js'
import { capacityDays } from '../api/queries/capacity-days.js'
import type { CapacityDays } from '../api/queries/capacity-days.js'
import { capacity, forecast } from '../api/queries/clusters.js'
import { fullnessOf } from '../api/queries/devices.js'
import type { inferOutput } from '../api/queries/output.js'
import { bytes, percent, terabytes } from '../format/numbers.js'
import { Loaded } from '../state/loaded.js'
import { Explained } from '../shell/explained.js'
import { ForCluster } from '../shell/for-cluster.js'
import { Card, Facts } from '../ui/card.js'
import { Chart } from '../ui/chart.js'
import { Empty } from '../ui/empty.js'
import { HardDrive } from '../ui/icons.js'
import { Bars, Meter } from '../ui/meter.js'
import { Num } from '../ui/num.js'
import { Page } from '../ui/page.js'
import { t } from '../words/text.js'
import { daysText, fullText } from './full-text.js'
import type { SetForecast } from './full-text.js'

type CapacityElement = inferOutput<typeof rpc.clusters.capacity.query>['capacity'][number]
type Days = CapacityDays['capacity'][number]

const historyDays = 90

/** How full each set of policies is, how evenly, since when and until when. */
export function CapacityPage() {
  return (
    <ForCluster title={t('nav.capacity')}>
      {({ id }) => (
        <Page title={t('nav.capacity')}>
          <Sets cluster={id} />
        </Page>
      )}
    </ForCluster>
  )
}

function Sets({ cluster }: { readonly cluster: number }) {
  const [sets, forecasts, fullness, days] = useQueries({
    queries: [capacity(cluster), forecast(cluster), fullnessOf(cluster), capacityDays(cluster, historyDays)],
  })
  return (
    <Loaded query={sets}>
      {({ capacity: elements }) =>
        elements.length === 0 ? (
          <section className="card">
            <Empty icon={HardDrive} title={t('overview.noDevices')} next={t('overview.noDevices.next')} />
          </section>
        ) : (
          elements.map((element) => {
            const isSet = ({ ring_set: set }: { readonly ring_set: string }) => set === element.ring_set
            return (
              <SetCard
                key={element.ring_set}
                element={element}
                forecast={forecasts.data?.forecast.find(isSet)}
                counts={fullness.data?.fullness.find(isSet)?.devices}
                times={timesOf(days.data)}
                days={days.data?.capacity.find(isSet)}
              />
            )
          })
        )
      }
    </Loaded>
  )
}

function timesOf(days: CapacityDays | undefined): readonly number[] {
  return Array.from({ length: days?.meta.points ?? 0 }, (_, i) => (days?.meta.start ?? 0) + i * (days?.meta.step ?? 0))
}

interface SetCardProps {
  readonly element: CapacityElement
  readonly forecast: SetForecast | undefined
  readonly counts: readonly number[] | undefined
  readonly times: readonly number[]
  readonly days: Days | undefined
}

function SetCard({ element, forecast, counts, times, days }: SetCardProps) {
  const { ring_set: set, total_used_pct: pct, total_used_tb: used, total_raw_tb: raw, total_free_tb: free } = element
  const explained = explainedBy('capacity', set)
  return (
    <Card title={set} aside={<b className="num">{percent(pct)}</b>}>
      <Meter
        pct={pct}
        label={t('overview.meter', { set, pct: percent(pct) })}
        {...(forecast === undefined ? {} : { limit: forecast.limit_pct })}
      />
      <div className="set-parts">
        <Facts
          facts={[
            [t('capacity.used'), explained(terabytes(used))],
            [t('capacity.free'), explained(terabytes(free))],
            [t('capacity.raw'), explained(terabytes(raw))],
            ...(forecast === undefined ? [] : forecastFacts(forecast)),
          ]}
        />
        <Spread element={element} counts={counts} />
        {days !== undefined && (
          <div>
            <h3>{t('capacity.history')}</h3>
            <Chart
              title={`${set}: ${t('capacity.history')}`}
              times={times}
              series={[
                { label: t('capacity.used'), values: days.total_used_pct },
                { label: t('overview.fullest', { pct: '' }).trim(), values: days.pct_used_stats.max },
              ]}
              format={(value) => percent(value, 0)}
              height={130}
              top={100}
            />
          </div>
        )}
      </div>
    </Card>
  )
}

function explainedBy(of: 'capacity' | 'forecast', set: string) {
  return (text: string) => (
    <Explained key={text} of={of} name={set}>
      {text}
    </Explained>
  )
}

function forecastFacts(forecast: SetForecast): readonly (readonly [string, React.ReactNode])[] {
  const { growth_bytes_a_day: growth, fullest_device: first, history_days: days, limit_pct: limit } = forecast
  const explained = explainedBy('forecast', forecast.ring_set)
  return [
    [t('capacity.growth'), explained(bytes(growth))],
    [
      t('capacity.when'),
      <Num
        key="when"
        label={t('capacity.when')}
        value={explained(fullText(forecast))}
        why={t('capacity.why', { count: days, pct: percent(limit, 0) })}
      />,
    ],
    [t('capacity.firstDevice'), daysText(first?.days_until_full ?? null)],
  ]
}

function Spread({
  element: { ring_set: set, pct_used_stats: stats },
  counts,
}: Pick<SetCardProps, 'element' | 'counts'>) {
  return (
    <div className="spread">
      <h3>{t('capacity.spread')}</h3>
      {counts !== undefined && (
        <Bars counts={counts} label={t('overview.bars', { set })} marks={['0 %', '50 %', '100 %']} />
      )}
      <p className="small muted num">
        {explainedBy('capacity', set)(t('overview.devices', { count: stats.count }))} · {t('capacity.mean')}{' '}
        {percent(stats.avg)} · {t('overview.below', { pct: percent(stats.pct_95) })} ·{' '}
        {t('overview.fullest', { pct: percent(stats.max) })} · {t('capacity.deviation')} {percent(stats.stddev)}
      </p>
    </div>
  )
}
