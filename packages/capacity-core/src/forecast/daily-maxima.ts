/** The largest number of used bytes on a day. */
export interface DailyMaximum {
  /** Days since 1970-01-01, UTC. */
  readonly day: number
  readonly usedBytes: number
}

/** Median of the values; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const upper = sorted[sorted.length >> 1] ?? Number.NaN
  const lower = sorted[(sorted.length - 1) >> 1] ?? Number.NaN
  return (lower + upper) / 2
}
