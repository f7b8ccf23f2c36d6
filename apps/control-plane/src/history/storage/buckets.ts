/** Points of series at equal steps, one series after another: sum, count, minimum and maximum of what fell into each. */
export interface Buckets {
  /** Of each series. */
  readonly points: number
  readonly sums: Float64Array
  readonly counts: Uint32Array
  readonly minima: Float64Array
  readonly maxima: Float64Array
}

export function createBuckets(points: number, series = 1): Buckets {
  return {
    points,
    sums: new Float64Array(points * series),
    counts: new Uint32Array(points * series),
    minima: new Float64Array(points * series).fill(Infinity),
    maxima: new Float64Array(points * series).fill(-Infinity),
  }
}

/** Returns the same points with space for more series. */
export function enlarged(buckets: Buckets, series: number): Buckets {
  const larger = createBuckets(buckets.points, series)
  for (const part of ['sums', 'counts', 'minima', 'maxima'] as const) larger[part].set(buckets[part])
  return larger
}

/** Adds readings of a series to the points at the same positions; position -1 and NaN are left out. */
export function addReadings(buckets: Buckets, series: number, positions: Int32Array, values: Float64Array): void {
  for (let from = 0; from < positions.length;) {
    const position = positions[from]!
    let end = from + 1
    while (end < positions.length && positions[end] === position) end++
    if (position >= 0) addToPoint(buckets, series * buckets.points + position, values, from, end)
    from = end
  }
}

/** Adds readings that belong to one point: they are added up before the point is changed. */
function addToPoint(buckets: Buckets, at: number, values: Float64Array, from: number, end: number): void {
  const { sums, counts, minima, maxima } = buckets
  let sum = 0
  let count = 0
  let minimum = Infinity
  let maximum = -Infinity
  for (let i = from; i < end; i++) {
    const value = values[i]!
    if (Number.isNaN(value)) continue
    sum += value
    count += 1
    if (value < minimum) minimum = value
    if (value > maximum) maximum = value
  }
  sums[at] = sums[at]! + sum
  counts[at] = counts[at]! + count
  if (minimum < minima[at]!) minima[at] = minimum
  if (maximum > maxima[at]!) maxima[at] = maximum
}

/** Adds points of a level in the same way: `plane` 0 has their means, 1 minima, 2 maxima. */
export function addPlane(
  { points, sums, counts, minima, maxima }: Buckets,
  series: number,
  positions: Int32Array,
  plane: number,
  values: Float64Array,
): void {
  for (let i = 0; i < positions.length; i++) {
    const value = values[i]!
    if (positions[i]! < 0 || Number.isNaN(value)) continue
    const at = series * points + positions[i]!
    if (plane === 0) {
      sums[at] = sums[at]! + value
      counts[at] = counts[at]! + 1
    } else if (plane === 1) {
      if (value < minima[at]!) minima[at] = value
    } else if (value > maxima[at]!) maxima[at] = value
  }
}

/** Returns the point of each time, or -1 where it is before the first or after the last one. */
export function positionsOf(times: Float64Array, fromMs: number, stepMs: number, points: number): Int32Array {
  const positions = new Int32Array(times.length)
  for (let i = 0; i < times.length; i++) {
    const at = Math.floor((times[i]! - fromMs) / stepMs)
    positions[i] = at >= 0 && at < points ? at : -1
  }
  return positions
}

/** Mean, minimum and maximum of the points of a series; NaN where nothing fell into one. */
export interface Planes {
  readonly mean: Float64Array
  readonly minimum: Float64Array
  readonly maximum: Float64Array
}

/** Turns the points of a series into its planes, in the memory that they have: nothing can be added to it any more. */
export function finish({ points, sums, counts, minima, maxima }: Buckets, series = 0): Planes {
  const [first, end] = [series * points, (series + 1) * points]
  for (let at = first; at < end; at++) {
    const count = counts[at]!
    if (count > 0) sums[at] = sums[at]! / count
    else sums[at] = minima[at] = maxima[at] = Number.NaN
  }
  return {
    mean: sums.subarray(first, end),
    minimum: minima.subarray(first, end),
    maximum: maxima.subarray(first, end),
  }
}
