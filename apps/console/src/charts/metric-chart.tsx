import { useQuery } from '@tanstack/react-query'
import { history, livePolls } from '../api/queries/history.js'
import type { HistoryRange, Source } from '../api/queries/history.js'
import { measure } from '../format/numbers.js'
import { linesOf, withLive } from '../history/series.js'
import type { Lines } from '../history/series.js'
import { Loaded } from '../state/loaded.js'
import { Chart } from '../ui/chart.js'
import { Empty, Skeleton } from '../ui/empty.js'
import { Activity } from '../ui/icons.js'
import { t } from '../words/text.js'

interface MetricChartProps {
  readonly title: string
  readonly source: Source
  /** Names, in which `*` stands for any characters. */
  readonly metrics: string[]
  readonly range: HistoryRange
  /** What a line is called; the last part of its name unless given. */
  readonly labels?: Readonly<Record<string, string>>
  /** Makes other lines of those that were read, such as their sum. */
  readonly derive?: (lines: Lines) => Lines
  readonly height?: number
  readonly top?: number
  readonly syncKey?: string
}

/** More lines cannot be distinguished. */
const maxLines = 8

/** Metrics over time, going on with what arrives. */
export function MetricChart({ title, source, metrics, range, height = 150, ...rest }: MetricChartProps) {
  const past = useQuery(history(source, metrics, range))
  const polls = useQuery(livePolls(source, metrics, range))
  return (
    <Loaded query={past} skeleton={<Skeleton height={height + 26} />}>
      {(answer) => (
        <LineChart title={title} lines={withLive(linesOf(answer), polls.data ?? [])} height={height} {...rest} />
      )}
    </Loaded>
  )
}

interface LineChartProps extends Pick<MetricChartProps, 'title' | 'labels' | 'derive' | 'height' | 'top' | 'syncKey'> {
  readonly lines: Lines
}

export function LineChart({ title, lines: read, labels = {}, derive = (lines) => lines, ...style }: LineChartProps) {
  const { times, lines } = derive(read)
  const shown = lines.filter(({ values }) => values.some((value) => value !== null)).slice(0, maxLines)
  if (shown.length === 0)
    return <Empty icon={Activity} title={t('overview.noHistory')} next={t('overview.noHistory.next')} />
  const unit = shown[0]?.unit ?? ''
  return (
    <Chart
      title={title}
      times={times}
      series={shown.map(({ name, values, min, max }) => ({ label: labels[name] ?? lastPart(name), values, min, max }))}
      format={(value) => measure(value, unit)}
      fill={shown.length <= 2}
      {...style}
    />
  )
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}
