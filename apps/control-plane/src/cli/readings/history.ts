import type { MetricSeries } from '@roost/api-types/rest'
import type { View } from '../terminal/output.js'

export interface HistoryFlags {
  readonly from?: string
  readonly to?: string
  readonly step?: string
}

const hourMs = 3_600_000
const blocks = '▁▂▃▄▅▆▇█'
const chartWidth = 40

/** What of the history the flags ask for: the last hour unless they say otherwise. */
export function rangeOf({ from, to, step }: HistoryFlags, nowMs: number) {
  return {
    start: from ?? new Date(nowMs - hourMs).toISOString(),
    ...(to === undefined ? {} : { end: to }),
    ...(step === undefined ? {} : { step: Number(step) }),
  }
}

/** A row for each series, with a chart where the output is a terminal. */
export function historyView(isTerminal: boolean): View<MetricSeries> {
  return {
    columns: {
      METRIC: ({ metric_name: name }) => name,
      LAST: (series) => rounded(known(series.values ?? series.mean).at(-1)),
      LEAST: (series) => rounded(extreme(series.values ?? series.min, Math.min)),
      MOST: (series) => rounded(extreme(series.values ?? series.max, Math.max)),
      UNIT: ({ unit }) => unit,
      ...(isTerminal ? { CHART: (series: MetricSeries) => chart(series.values ?? series.mean ?? []) } : {}),
    },
    name: ({ metric_name: name }) => name,
  }
}

function known(values: readonly (number | null)[] = []): readonly number[] {
  return values.filter((value) => value !== null)
}

function extreme(values: readonly (number | null)[] | undefined, better: (a: number, b: number) => number) {
  const numbers = known(values)
  return numbers.length === 0 ? undefined : numbers.reduce((a, b) => better(a, b))
}

function rounded(value: number | undefined): number | null {
  return value === undefined ? null : Number(value.toPrecision(6))
}

/** Draws values from the least to the most of them; a gap is a blank. */
export function chart(values: readonly (number | null)[]): string {
  const numbers = known(values)
  if (numbers.length === 0) return ''
  const least = numbers.reduce((a, b) => Math.min(a, b))
  const most = numbers.reduce((a, b) => Math.max(a, b))
  const width = Math.min(chartWidth, values.length)
  return Array.from({ length: width }, (_, i) => {
    const part = known(
      values.slice(Math.floor((i * values.length) / width), Math.floor(((i + 1) * values.length) / width)),
    )
    if (part.length === 0) return ' '
    const mean = part.reduce((a, b) => a + b) / part.length
    return blocks[most === least ? 0 : Math.round(((mean - least) / (most - least)) * (blocks.length - 1))]
  }).join('')
}
