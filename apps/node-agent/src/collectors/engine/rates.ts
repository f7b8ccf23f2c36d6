import type { Measurement } from './metric.js'

/** Computes rates and ratios of counters from two consecutive readings of a collector. */
export class Rates {
  #last: readonly Measurement[] = []
  #lastAt = Number.NaN

  /**
   * Returns the value of each measurement; NaN for the first of a name, and for a counter that fell back (a reset or a wrap).
   * `at` is in milliseconds of a clock that never jumps.
   */
  valuesOf(measurements: readonly Measurement[], at: number): Float64Array {
    const seconds = (at - this.#lastAt) / 1_000
    const before = previousOf(this.#last)
    const values = new Float64Array(measurements.length)
    measurements.forEach((measurement, i) => {
      const { name, value, per } = measurement
      values[i] = per === undefined ? value : growth(before(name, i), measurement, seconds)
    })
    this.#last = measurements
    this.#lastAt = at
    return values
  }
}

function growth(last: Measurement | undefined, now: Measurement, seconds: number): number {
  if (!last) return Number.NaN
  const base = now.per === 'second' ? seconds : Number(now.per) - Number(last.per)
  const grown = now.value - last.value
  return grown >= 0 && base > 0 ? grown / base : Number.NaN
}

/** Finds a measurement by its name. It nearly always has the same index as before; a map is made only when it has not. */
function previousOf(last: readonly Measurement[]): (name: string, i: number) => Measurement | undefined {
  let byName: ReadonlyMap<string, Measurement> | undefined
  return (name, i) => {
    const same = last[i]
    if (same?.name === name) return same
    byName ??= new Map(last.map((measurement) => [measurement.name, measurement]))
    return byName.get(name)
  }
}
