import type { ShareMounts } from '../started/share-mounts.js'

/** Returns mounts of shares that are up and do nothing, except for the changes of the test. */
export function scriptedMounts(changes: Partial<ShareMounts> = {}): ShareMounts {
  return {
    pathOf: (share) => `/srv/${share}`,
    isUp: async () => true,
    isOutdated: async () => false,
    hasOtherCacheSize: async () => false,
    up: async () => {},
    down: async () => {},
    drain: async () => true,
    endDrain: async () => {},
    refresh: async () => {},
    forget: async () => {},
    isAnswering: async () => true,
    kill: async () => {},
    pidOf: async () => 0,
    cacheStats: async () => undefined,
    ...changes,
  }
}
