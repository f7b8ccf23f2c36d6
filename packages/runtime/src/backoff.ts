export interface BackoffLimits {
  readonly firstMs: number
  readonly longestMs: number
}

/** Returns how long to wait after a number of failures in a row: it doubles with each, up to the longest. */
export function backoffMs(failures: number, { firstMs, longestMs }: BackoffLimits): number {
  return Math.min(longestMs, firstMs * 2 ** Math.max(0, failures - 1))
}
