import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, errorText, inParallel, type Log, Periodic } from '@roost/runtime'
import type { CacheStats } from '../rclone/remote-control.js'
import type { CacheScan } from './files/cache-scan.js'
import type { DirtyFile } from './files/cached-file.js'
import { defaultWatches } from './files/folder-watches.js'
import type { WatchBudget } from './files/folder-watches.js'
import { ShareCache } from './share-cache.js'
import type { ShareCount, ShareCounts } from './files/share-counts.js'

export interface CacheWatchOptions {
  /** Holds a cache for each share, named by the share's id. */
  readonly cacheDirectory: string
  /** Shares with a mount, also one that only uploads what is left. */
  readonly shares: () => readonly number[]
  /** Asks the mount of a share for its statistics; undefined when it does not answer. */
  readonly stats: (share: number) => Promise<CacheStats | undefined>
  readonly scan: CacheScan
  readonly counts: ShareCounts
  /** Counts the leftovers of a share. */
  readonly countLeftovers: (share: number) => number
  /** A dirty file has this name now; `before`: the same file under the name that it had. */
  readonly onAppear?: (share: number, file: DirtyFile, before: DirtyFile | undefined) => void
  /** After each count, with the caches of all shares. */
  readonly onCounted?: (caches: readonly ShareCache[]) => Promise<void>
  readonly clock: Clock
  readonly log: Log
  readonly watches?: number
}

/** A file that is renamed after its upload began has been seen under its old name: uploads begin 5 s after a close. */
const refreshEveryMs = 3_000
const countEveryMs = 15_000
const asksAtOnce = 4

/** Counts for each share what is not in Swift. */
export class CacheWatch {
  readonly #options: CacheWatchOptions
  readonly #budget: WatchBudget
  readonly #caches = new Map<number, ShareCache>()
  readonly #faults = new Map<number, string>()
  readonly #round: Periodic
  #countAtMs = -Infinity
  #exhausted = false

  constructor(options: CacheWatchOptions) {
    this.#options = options
    this.#budget = { left: options.watches ?? defaultWatches }
    const { clock, log } = options
    this.#round = new Periodic({
      clock,
      intervalMs: () => refreshEveryMs,
      work: () => this.#work(),
      onError: (error) => log.error('could not read the caches of shares', { error }),
    })
  }

  find(share: number): ShareCache | undefined {
    return this.#caches.get(share)
  }

  get isDirty(): boolean {
    return [...this.#caches.values()].some((cache) => cache.isDirty)
  }

  async close(): Promise<void> {
    await this.#round.stop()
    for (const cache of this.#caches.values()) cache.close()
  }

  async #work(): Promise<void> {
    const { clock, counts, onCounted } = this.#options
    const isCount = clock.monotonic() >= this.#countAtMs
    await this.#findCaches()
    const caches = [...this.#caches.values()]
    for (const cache of caches) await this.#refresh(cache)
    if (!isCount) return
    this.#countAtMs = clock.monotonic() + countEveryMs - refreshEveryMs / 2
    counts.set(await this.#countAll(caches.filter(({ share }) => !this.#faults.has(share))))
    this.#reportExhausted(caches)
    await onCounted?.(caches)
  }

  /** Finds the caches of mounts, and folders without a mount: they may have files of a share that was removed. */
  async #findCaches(): Promise<void> {
    const { cacheDirectory, shares, scan, onAppear, clock } = this.#options
    const names = await readdir(cacheDirectory).catch(() => [])
    const found = new Set([...names.filter((name) => /^\d{1,10}$/.test(name)).map(Number), ...shares()])
    for (const [share, cache] of this.#caches)
      if (!found.has(share)) {
        cache.close()
        this.#caches.delete(share)
      }
    for (const share of found)
      if (!this.#caches.has(share)) {
        const cache = join(cacheDirectory, String(share))
        const options = { cache, scan, budget: this.#budget, clock }
        this.#caches.set(
          share,
          new ShareCache(share, { ...options, onAppear: (file, before) => onAppear?.(share, file, before) }),
        )
      }
  }

  /** Refreshes one cache; a cache that cannot be read does not affect the others. */
  async #refresh(cache: ShareCache): Promise<void> {
    try {
      await cache.refresh()
      this.#faults.delete(cache.share)
    } catch (error) {
      const fault = errorText(error)
      if (this.#faults.get(cache.share) !== fault)
        this.#options.log.warn('could not read the cache of a share', { share: cache.share, fault })
      this.#faults.set(cache.share, fault)
    }
  }

  async #countAll(caches: readonly ShareCache[]): Promise<readonly ShareCount[]> {
    const { shares, stats, countLeftovers, clock } = this.#options
    const mounted = new Set(shares())
    const counted: ShareCount[] = []
    // A mount that hangs must not delay the others.
    await inParallel(caches, asksAtOnce, async (cache) => {
      const isMounted = mounted.has(cache.share)
      const count = cache.count(isMounted ? await stats(cache.share) : undefined, clock.now())
      const leftoverFiles = countLeftovers(cache.share)
      if (isMounted || count.dirtyFiles + leftoverFiles > 0) counted.push({ ...count, leftoverFiles })
    })
    return counted.toSorted((one, other) => one.share - other.share)
  }

  #reportExhausted(caches: readonly ShareCache[]): void {
    const exhausted = caches.some(({ isScannedOnly }) => isScannedOnly)
    if (exhausted && !this.#exhausted)
      this.#options.log.warn(
        'no inotify watches left, files that are not uploaded are counted less often; raise fs.inotify.max_user_watches',
      )
    this.#exhausted = exhausted
  }
}
