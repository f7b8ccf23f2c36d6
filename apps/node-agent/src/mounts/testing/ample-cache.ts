import { createShareCounts } from '../cache/files/share-counts.js'
import type { MountStore } from '../desired/mount-store.js'
import { CacheSizes } from '../upkeep/cache-sizes.js'

/** A cache on a disk that is large enough for every share. */
export function ampleCache(store: MountStore) {
  const disk = { read: async () => ({ totalBytes: 1e12, availableBytes: 1e12 }), close: () => {} }
  return {
    cacheSizes: new CacheSizes({ store, disk }),
    counts: createShareCounts(),
    incomplete: { recent: () => undefined, failedAtMs: -Infinity, check: async () => {}, intervalMs: 1_000 },
    cacheDirectory: '/cache',
  }
}
