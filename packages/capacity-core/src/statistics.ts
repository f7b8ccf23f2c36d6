/** Sample standard deviation, dividing by n − 1; 0 of fewer than two values. */
export function sampleDeviation(values: ArrayLike<number>, mean: number): number {
  if (values.length < 2) return 0
  let squares = 0
  for (let i = 0; i < values.length; i++) {
    const distance = (values[i] as number) - mean
    squares += distance * distance
  }
  return Math.sqrt(squares / (values.length - 1))
}

/** Position, from 1, of a percentile among `count` sorted values. In whole numbers, since 0.95 is no binary fraction. */
export function nearestRank(percent: number, count: number): number {
  return Math.max(1, Math.ceil((percent * count) / 100))
}
