/** Mean; 0 of nothing. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i] as number
  return values.length === 0 ? 0 : sum / values.length
}

/** Sample standard deviation, dividing by n − 1; 0 of fewer than two values. */
export function sampleDeviation(values: ArrayLike<number>, around = mean(values)): number {
  if (values.length < 2) return 0
  let squares = 0
  for (let i = 0; i < values.length; i++) {
    const distance = (values[i] as number) - around
    squares += distance * distance
  }
  return Math.sqrt(squares / (values.length - 1))
}

/** Position, from 1, of a percentile among `count` sorted values. In whole numbers, since 0.95 is no binary fraction. */
export function nearestRank(percent: number, count: number): number {
  return Math.max(1, Math.ceil((percent * count) / 100))
}

/** Percentile by nearest rank; 0 of nothing. */
export function percentile(percent: number, values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).toSorted()
  return sorted[nearestRank(percent, sorted.length) - 1] ?? 0
}
