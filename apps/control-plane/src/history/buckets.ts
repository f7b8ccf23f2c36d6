/** Points of one series at equal steps: mean, minimum and maximum of what fell into each. */
export interface Buckets {
  readonly sums: Float64Array
  readonly counts: Uint32Array
  readonly minima: Float64Array
  readonly maxima: Float64Array
}

export function createBuckets(points: number): Buckets {
  return {
    sums: new Float64Array(points),
    counts: new Uint32Array(points),
    minima: new Float64Array(points).fill(Infinity),
    maxima: new Float64Array(points).fill(-Infinity),
  }
}

/** Adds values to the points at the same positions; a position outside, such as -1, and NaN are left out. */
export function addValues(buckets: Buckets, positions: Int32Array, values: Planes): void {
  const { sums, counts, minima, maxima } = buckets
  const { mean, minimum, maximum } = values
  for (let i = 0; i < positions.length; i++) {
    const at = positions[i]!
    const value = mean[i]!
    if (at < 0 || at >= counts.length || Number.isNaN(value)) continue
    sums[at] = sums[at]! + value
    counts[at] = counts[at]! + 1
    if (minimum[i]! < minima[at]!) minima[at] = minimum[i]!
    if (maximum[i]! > maxima[at]!) maxima[at] = maximum[i]!
  }
}

/** The three columns of a metric in a level; all the same for readings. */
export interface Planes {
  readonly mean: Float64Array
  readonly minimum: Float64Array
  readonly maximum: Float64Array
}

/** Returns mean, minimum and maximum of each point; NaN where nothing fell into it. */
export function planesOf({ sums, counts, minima, maxima }: Buckets): Planes {
  const mean = sums.map((sum, i) => (counts[i] === 0 ? Number.NaN : sum / counts[i]!))
  const withGaps = (values: Float64Array) => values.map((value, i) => (counts[i] === 0 ? Number.NaN : value))
  return { mean, minimum: withGaps(minima), maximum: withGaps(maxima) }
}
