import type { MetricSample } from '@roost/api-types/rest'
import { compareMetrics } from './catalogue.js'
import type { Metric } from './catalogue.js'

/** Rows of an answer, as places in arrays that somebody else holds. */
export interface Rows {
  readonly metrics: readonly Metric[]
  /** NaN: no value. */
  readonly values: Float64Array
  /** Unix seconds; not finite where there never was a reading. */
  readonly times: Float64Array
  /** Which rows, in the answer's order. */
  readonly positions: Int32Array
}

/** When an answer is made, in Unix seconds: older values than `freshFrom` are null. */
export interface Moment {
  readonly now: number
  readonly freshFrom: number
}

/** Rows without a value, for unknown names. */
export function unknownRows(names: readonly string[]): Rows {
  return {
    metrics: names.map((name) => ({ name, json: JSON.stringify(name).slice(1, -1) })),
    values: new Float64Array(names.length).fill(Number.NaN),
    times: new Float64Array(names.length).fill(Number.NaN),
    positions: Int32Array.from(names.keys()),
  }
}

/** The rows of both in the order of their names. */
export function mergeRows(a: Rows, b: Rows): Rows {
  const rows = [a, b].flatMap(({ metrics, values, times, positions }) =>
    Array.from(positions, (i) => ({
      metric: metrics[i] as Metric,
      value: values[i] as number,
      time: times[i] as number,
    })),
  )
  rows.sort((x, y) => compareMetrics(x.metric, y.metric))
  return {
    metrics: rows.map(({ metric }) => metric),
    values: Float64Array.from(rows, ({ value }) => value),
    times: Float64Array.from(rows, ({ time }) => time),
    positions: Int32Array.from(rows.keys()),
  }
}

/** The rows in pieces of at most `length`. */
export function* slicesOf(rows: Rows, length: number): Generator<Rows> {
  for (let start = 0; start < rows.positions.length; start += length)
    yield { ...rows, positions: rows.positions.subarray(start, start + length) }
}

export function samplesOf(rows: Rows, moment: Moment): MetricSample[] {
  return Array.from(rows.positions, (position) => {
    const { name } = rows.metrics[position] as Metric
    const time = rows.times[position] as number
    const value = rows.values[position] as number
    return {
      metric_name: name,
      timestamp: secondsOf(time, moment),
      value: time >= moment.freshFrom && Number.isFinite(value) ? value : null,
    }
  })
}

/** The same rows as JSON objects separated by commas, without building them; `extra` is put first into each object. */
export function samplesJson(rows: Rows, moment: Moment, extra = ''): string {
  const { metrics, values, times, positions } = rows
  const head = `{${extra}"metric_name":"`
  let text = ''
  let lastTime = Number.NaN
  let middle = ''
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i] as number
    const time = times[position] as number
    if (time !== lastTime) {
      lastTime = time
      middle = `","timestamp":${secondsOf(time, moment)},"value":`
    }
    const value = values[position] as number
    const fresh = time >= moment.freshFrom && Number.isFinite(value)
    text += (i === 0 ? head : `,${head}`) + (metrics[position] as Metric).json + middle + (fresh ? value : 'null') + '}'
  }
  return text
}

function secondsOf(time: number, moment: Moment): number {
  return Math.floor(Number.isFinite(time) ? time : moment.now)
}
