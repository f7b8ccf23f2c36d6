import type { Measurement } from './metric.js'

interface Counted {
  readonly total: number
  readonly of: number
}

/** Turns what counts up into rates and ratios, from one reading of a collector to its next. */
export class Rates {
  #last = new Map<string, Counted>()
  #lastAt = Number.NaN

  /**
   * The value of each measurement; NaN for the first of a name, and where a counter fell back (a reset or a wrap).
   * `at` is in milliseconds of a clock that never jumps.
   */
  valuesOf(measurements: readonly Measurement[], at: number): number[] {
    const seconds = (at - this.#lastAt) / 1_000
    const next = new Map<string, Counted>()
    const values = measurements.map(({ name, value, per }) => {
      if (per === undefined) return value
      const counted = { total: value, of: per === 'second' ? 0 : per }
      next.set(name, counted)
      const last = this.#last.get(name)
      if (!last) return Number.NaN
      const growth = counted.total - last.total
      const base = per === 'second' ? seconds : counted.of - last.of
      return growth >= 0 && base > 0 ? growth / base : Number.NaN
    })
    this.#last = next
    this.#lastAt = at
    return values
  }
}
