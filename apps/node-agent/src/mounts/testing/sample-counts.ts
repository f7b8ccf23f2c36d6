import type { ShareCount } from '../cache/files/share-counts.js'

/** Returns the count of a share with nothing in its cache, except for what the test sets. */
export function sampleCount(more: Partial<ShareCount> = {}): ShareCount {
  return {
    share: 1,
    dirtyFiles: 0,
    dirtyBytes: 0,
    oldestDirtySeconds: 0,
    cacheBytes: 0,
    uploadsQueued: 0,
    uploadErrors: 0,
    outOfSpace: 0,
    leftoverFiles: 0,
    ...more,
  }
}
