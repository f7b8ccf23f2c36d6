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

/** Adds the readings that are newer than the history. A band ends where it does. */
export function withLive({ times, lines }: Lines, polls: readonly Samples[]): Lines {
  const lastAt = times.findLastIndex((_, i) => lines.some(({ values }) => typeof values[i] === 'number'))
  const known = times.slice(0, lastAt + 1)
  const since = known.at(-1) ?? 0
  const byTime = new Map(polls.map((samples) => [Math.max(0, ...samples.map(({ timestamp }) => timestamp)), samples]))
  const newer = [...byTime].filter(([time]) => time > since)
  const ends = newer.map(() => null)
  const all = lines.map((line) => ({
    ...line,
    values: [...line.values.slice(0, lastAt + 1), ...newer.map(([, samples]) => valueIn(samples, line.name))],
    min: line.min && [...line.min.slice(0, lastAt + 1), ...ends],
    max: line.max && [...line.max.slice(0, lastAt + 1), ...ends],
  }))
  return { times: [...known, ...newer.map(([time]) => time)], lines: all }
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
