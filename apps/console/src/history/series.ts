import type { History, Samples } from '../api/queries/history.js'

type Series = History['metrics'][number]
type Values = readonly (number | null)[]

/** A line of a chart. `min` and `max` are those of each step, where the history is of steps. */
export interface Line {
  readonly name: string
  readonly unit: string
  readonly values: Values
  readonly min?: Values | undefined
  readonly max?: Values | undefined
}

export interface Lines {
  /** Unix seconds, ascending. */
  readonly times: readonly number[]
  readonly lines: readonly Line[]
}

/** Returns the values of a series at the times of its answer. Readings have times of their own: each belongs to its step. */
function valuesOf(series: Series, { meta: { start, step, points } }: History): Values {
  if (series.mean !== undefined) return series.mean
  const values: (number | null)[] = Array.from({ length: points }, () => null)
  for (const [i, time] of (series.times ?? []).entries()) {
    const at = Math.floor((time - start) / step)
    if (at >= 0 && at < points) values[at] = series.values?.[i] ?? null
  }
  return values
}

/** Returns the lines of an answer. */
export function linesOf(history: History): Lines {
  const { start, step, points } = history.meta
  const times = Array.from({ length: points }, (_, i) => start + i * step)
  const lines = history.metrics.map((series) => ({
    name: series.metric_name,
    unit: series.unit,
    values: valuesOf(series, history),
    min: series.min,
    max: series.max,
  }))
  return { times, lines }
}

/** Readings that are further apart than so many steps have a gap between them. */
const mostStepsApart = 3

/** Adds the readings that are newer than the history. A band ends where it does. */
export function withLive({ times, lines }: Lines, polls: readonly Samples[]): Lines {
  const lastAt = times.findLastIndex((_, i) => lines.some(({ values }) => typeof values[i] === 'number'))
  const since = times[lastAt] ?? 0
  const byTime = new Map(polls.map((samples) => [timeOf(samples), samples]))
  const newer = [...byTime].filter(([time]) => time > since)
  // Without one, what follows the history is a gap, too.
  if (newer.length === 0) return { times, lines }
  const known = times.slice(0, lastAt + 1)
  const live = withGaps(newer, known)
  const ends = live.map(() => null)
  const all = lines.map((line) => ({
    ...line,
    values: [...line.values.slice(0, known.length), ...live.map(([, samples]) => valueIn(samples, line.name))],
    min: line.min && [...line.min.slice(0, known.length), ...ends],
    max: line.max && [...line.max.slice(0, known.length), ...ends],
  }))
  return { times: [...known, ...live.map(([time]) => time)], lines: all }
}

type Reading = readonly [time: number, samples: Samples]

/** Returns the readings, with one without values where the time before is too far away for a line. */
function withGaps(readings: readonly Reading[], known: readonly number[]): readonly Reading[] {
  const step = (known[1] ?? 0) - (known[0] ?? 0)
  return readings.flatMap((reading, i) => {
    const before = readings[i - 1]?.[0] ?? known.at(-1)
    const isApart = before !== undefined && step > 0 && reading[0] - before > mostStepsApart * step
    return isApart ? [[before + step, []] as const, reading] : [reading]
  })
}

/** Returns the time of the latest value. A metric that the node does not report has the time of the poll. */
function timeOf(samples: Samples): number {
  return Math.max(0, ...samples.map(({ timestamp, value }) => (value === null ? 0 : timestamp)))
}

function valueIn(samples: Samples, name: string): number | null {
  return samples.find(({ metric_name: each }) => each === name)?.value ?? null
}

/** Adds up the lines whose names end with `ending`. A step without any value is a gap. */
export function sumOf({ times, lines }: Lines, ending: string): Values {
  const rows = lines.filter(({ name }) => name.endsWith(ending)).map(({ values }) => values)
  return times.map((_, i) => {
    const known = rows.map((row) => row[i]).filter((value) => typeof value === 'number')
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
  })
}
