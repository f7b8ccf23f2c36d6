/** Bytes in a TB, as the API means it. */
export const bytesPerTb = 1e12

/** What `statvfs` tells of a mounted filesystem: `blocks`, `bfree` and `bavail`, each times `frsize`. */
export interface FilesystemSpace {
  readonly totalBytes: number
  readonly freeBytes: number
  readonly availableBytes: number
}

/** The same as an operator means it; `rawBytes` is `usedBytes + freeBytes`. */
export interface Usage {
  readonly rawBytes: number
  readonly usedBytes: number
  readonly freeBytes: number
}

/**
 * Used includes what lies inside the reserved area; raw leaves out the reserved blocks that are still free, so that
 * used / raw is the Use% of `df`. A filesystem that claims more free blocks than it has counts as empty.
 */
export function usageOf({ totalBytes, freeBytes, availableBytes }: FilesystemSpace): Usage {
  const usedBytes = Math.max(0, totalBytes - freeBytes)
  const available = Math.max(0, availableBytes)
  return { rawBytes: usedBytes + available, usedBytes, freeBytes: available }
}

/** Used as a percentage of raw, 0..100; 0 of nothing. */
export function percentUsed(usedBytes: number, rawBytes: number): number {
  return rawBytes > 0 ? (usedBytes / rawBytes) * 100 : 0
}
