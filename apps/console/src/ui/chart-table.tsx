import { dateTime } from '../format/time.js'
import { noValue } from '../format/numbers.js'
import { t } from '../words/text.js'
import type { ChartSeries } from './chart-options.js'

interface ChartTableProps {
  readonly title: string
  readonly times: readonly number[]
  readonly series: readonly ChartSeries[]
  readonly format: (value: number) => string
  readonly height: number
}

/** More rows are not read; the export has them. */
const maxRows = 200

/** The values of a chart, the newest first. */
export function ChartTable({ title, times, series, format, height }: ChartTableProps) {
  const rows = times
    .map((time, i) => ({ time, i }))
    .slice(-maxRows)
    .toReversed()
  return (
    <div className="chart-table" style={{ height }} tabIndex={0} role="group" aria-label={title}>
      <table className="plain">
        <thead>
          <tr>
            <th scope="col">
              <span className="sr">{t('charts.range')}</span>
            </th>
            {series.map(({ label }) => (
              <th key={label} scope="col" className="r">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ time, i }) => (
            <tr key={time}>
              <th scope="row">{dateTime(new Date(time * 1000).toISOString())}</th>
              {series.map(({ label, values }) => (
                <td key={label} className="r">
                  {typeof values[i] === 'number' ? format(values[i]) : noValue}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
