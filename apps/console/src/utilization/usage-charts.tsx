import { Link } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { pathOf } from '../api/base.js'
import { policies, usageSeries } from '../api/queries/utilization.js'
import type { UsageOf, UsageSeries } from '../api/queries/utilization.js'
import { bytes, percent } from '../format/numbers.js'
import { PlainTable } from '../list/plain-table.js'
import { Card } from '../ui/card.js'
import { Chart } from '../ui/chart.js'
import { t } from '../words/text.js'

interface UsageChartsProps {
  readonly usage: UsageOf
  readonly by: 'day' | 'month'
}

const mostAccounts = 10

/** Storage by policy or transfer over time, and the accounts with most of it; nothing where there is no usage. */
export function UsageCharts({ usage, by }: UsageChartsProps) {
  const isStorage = usage.policy !== undefined
  const of = isStorage ? 'storage' : 'transfer'
  const overTime = { of, by, group: isStorage ? 'policy' : 'account', top: 0 } as const
  const largest = { of, by: 'month', group: 'account', top: mostAccounts } as const
  const { data: series } = useQuery(usageSeries(usage, overTime))
  const { data: accounts } = useQuery(usageSeries(usage, largest))
  if (series === undefined || accounts === undefined || series.series.length === 0) return null
  return (
    <div className="usage-charts">
      <Card title={t(`utilization.${of}.${by}`)} aside={<Csv usage={usage} of={overTime} />}>
        <OverTime cluster={usage.cluster} series={series} />
      </Card>
      <Card title={t('utilization.largest')} aside={<Csv usage={usage} of={{ ...largest, by }} />}>
        <Largest series={accounts} />
      </Card>
    </div>
  )
}

interface CsvProps {
  readonly usage: UsageOf
  readonly of: { readonly of: string; readonly by: string; readonly group: string; readonly top: number }
}

function Csv({ usage: { cluster, policy: _policy, ...range }, of: { top, ...of } }: CsvProps) {
  const query = new URLSearchParams({ ...range, ...of, top: String(top), format: 'csv' })
  return (
    <a className="btn s" href={pathOf(`api/v1/clusters/${cluster}/utilization/series/?${query}`)} download>
      {t('ui.csv')}
    </a>
  )
}

function OverTime({
  cluster,
  series: { of, by, steps, series },
}: {
  readonly cluster: number
  readonly series: UsageSeries
}) {
  const { data: known = [] } = useQuery(policies(cluster))
  const nameOf = (index: number | null) => known.find((policy) => policy.index === index)?.name ?? String(index)
  const shown =
    of === 'storage'
      ? usedOf(series).map(({ policy_idx: index, bytes_used: values = [] }) => ({ label: nameOf(index), values }))
      : series.flatMap(({ bytes_in: received = [], bytes_out: sent = [] }) => [
          { label: t('utilization.bytes_in'), values: received },
          { label: t('utilization.bytes_out'), values: sent },
        ])
  return (
    <>
      <Chart
        title={t(`utilization.${of}.${by}`)}
        times={steps.map(({ start }) => Date.parse(start.replace(' ', 'T')) / 1000)}
        series={shown}
        format={bytes}
        shape={of === 'storage' ? 'stack' : 'bars'}
        height={150}
      />
      <p className="muted">{t('utilization.least', { pct: percent(leastComplete(series)) })}</p>
    </>
  )
}

/** Leaves out policies without data, whose lines would cover those below them; all where none has any. */
function usedOf(series: UsageSeries['series']): UsageSeries['series'] {
  const used = series.filter(({ bytes_used: values = [] }) => values.some((value) => value !== null && value > 0))
  return used.length > 0 ? used : series
}

/** Returns the completeness of the least complete step; one without reports is a gap in the chart. */
function leastComplete(series: UsageSeries['series']): number {
  return Math.min(100, ...series.flatMap(({ pct_complete: percents }) => percents.filter((pct) => pct > 0)))
}

/** The accounts with most usage in the period, and all others together. */
function Largest({ series: { of, series } }: { readonly series: UsageSeries }) {
  const counters = of === 'storage' ? (['bytes_used'] as const) : (['bytes_in', 'bytes_out'] as const)
  return (
    <PlainTable
      label={t('utilization.largest')}
      headings={[
        t('utilization.account'),
        ...counters.map((name) => ({ text: t(`utilization.${name}`), className: 'r' as const })),
      ]}
      isPart
    >
      {series.map((one) => (
        <tr key={one.account ?? ''}>
          <th scope="row">
            {one.account === null ? (
              t('utilization.others')
            ) : (
              <Link to="/utilization" search={(old) => ({ ...old, account: one.account ?? '' })}>
                {one.account_name} <code>{one.account}</code>
              </Link>
            )}
          </th>
          {counters.map((name) => (
            <td key={name} className="r">
              {bytes(overPeriod(name, one[name] ?? []))}
            </td>
          ))}
        </tr>
      ))}
    </PlainTable>
  )
}

/** Storage is the maximum of the months, transfer their sum. */
function overPeriod(name: string, values: readonly (number | null)[]): number | null {
  const numbers = values.filter((value) => value !== null)
  if (numbers.length === 0) return null
  return name === 'bytes_used' ? Math.max(...numbers) : numbers.reduce((sum, value) => sum + value, 0)
}
