import type { Measurement } from './metric.js'

/** Turns what counts up into rates and ratios, from one reading of a collector to its next. */
export class Rates {
  #last: readonly Measurement[] = []
  #lastAt = Number.NaN

  /**
   * The value of each measurement; NaN for the first of a name, and where a counter fell back (a reset or a wrap).
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

/** Finds a measurement by its name. Nearly always it stands where it stood, so that an index is made only when it does not. */
function previousOf(last: readonly Measurement[]): (name: string, i: number) => Measurement | undefined {
  let byName: ReadonlyMap<string, Measurement> | undefined
  return (name, i) => {
    const same = last[i]
    if (same?.name === name) return same
    byName ??= new Map(last.map((measurement) => [measurement.name, measurement]))
    return byName.get(name)
  }
}
