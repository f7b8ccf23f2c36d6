/** Counts what a share has not uploaded. A value is NaN when the mount does not answer. */
export interface ShareCount {
  readonly share: number
  readonly dirtyFiles: number
  readonly dirtyBytes: number
  /** 0 when nothing is dirty. */
  readonly oldestDirtySeconds: number
  readonly cacheBytes: number
  readonly uploadsQueued: number
  readonly uploadErrors: number
  /** 1: rclone cannot write to its cache. */
  readonly outOfSpace: number
  /** Objects in Swift under names that files had before they were renamed during their upload. */
  readonly leftoverFiles: number
}

/** Keeps the last counts of all shares, for the collector. */
export interface ShareCounts {
  set(counts: readonly ShareCount[]): void
  list(): readonly ShareCount[]
}

export function createShareCounts(): ShareCounts {
  let last: readonly ShareCount[] = []
  return { set: (counts) => void (last = counts), list: () => last }
}
