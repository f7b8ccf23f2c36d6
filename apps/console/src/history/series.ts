import type { rpc } from '../api/client.js'
import type { inferOutput } from '../api/queries/output.js'

export type History = inferOutput<typeof rpc.metrics.historyOfCluster.query>
type Series = History['metrics'][number]
type Values = readonly (number | null)[]

/** The times of the points of an answer, in Unix seconds. */
export function timesOf({ meta: { start, step, points } }: Pick<History, 'meta'>): readonly number[] {
  return Array.from({ length: points }, (_, i) => start + i * step)
}

/** Returns the values of a series at the times of its answer. Readings have times of their own: each belongs to its step. */
export function valuesOf(series: Series, { meta: { start, step, points } }: Pick<History, 'meta'>): Values {
  if (series.mean !== undefined) return series.mean
  const values: (number | null)[] = Array.from({ length: points }, () => null)
  for (const [i, time] of (series.times ?? []).entries()) {
    const at = Math.floor((time - start) / step)
    if (at >= 0 && at < points) values[at] = series.values?.[i] ?? null
  }
  return values
}

/** Adds up the series whose names end with `ending`. A step without any value is a gap. */
export function sumSeries(
  history: History,
  ending: string,
): { readonly times: readonly number[]; readonly values: Values } {
  const times = timesOf(history)
  const rows = history.metrics
    .filter(({ metric_name: name }) => name.endsWith(ending))
    .map((series) => valuesOf(series, history))
  const values = times.map((_, i) => {
    const known = rows.map((row) => row[i]).filter((value) => typeof value === 'number')
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
  })
  return { times, values }
}
