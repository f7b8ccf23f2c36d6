import type { InventoryProblem } from '@roost/api-types/agent'
import { cacheOutOfSpace, cacheSmall } from '@roost/api-types/checks'
import type { Clock } from '@roost/runtime'
import type { NodeProblems } from '../../machine/problems.js'
import type { IncompleteFiles, RecentlyIncomplete } from '../cache/incomplete-files.js'
import type { ShareCounts } from '../cache/files/share-counts.js'
import type { CacheDiskWatch } from './cache-disk-watch.js'
import { isSmall, smallestPartMegabytes, type CacheSizes } from './cache-sizes.js'
import type { MountSpec } from '../desired/mount-spec.js'
import type { MountStore } from '../desired/mount-store.js'
import type { Restarts } from '../started/restarts.js'
import type { StartedMounts } from '../started/started-mounts.js'

export interface CacheUpkeepOptions {
  readonly store: MountStore
  readonly mounts: StartedMounts
  readonly restarts: Restarts
  readonly cacheSizes: CacheSizes
  readonly disk: CacheDiskWatch
  readonly counts: ShareCounts
  readonly incomplete: Pick<IncompleteFiles, 'recent'>
  /** Contains the caches of all shares. */
  readonly cacheDirectory: string
  readonly problems: NodeProblems
  readonly readNames: () => Promise<Readonly<Record<string, string>>>
  readonly clock: Clock
}

const compareSizesEveryMs = 15_000

/** Watches the caches of shares: reports a lack of space, and restarts mounts that need another size or hang without space. */
export class CacheUpkeep {
  readonly #options: CacheUpkeepOptions
  #sizesAtMs = -Infinity

  constructor(options: CacheUpkeepOptions) {
    this.#options = options
  }

  async check(): Promise<void> {
    const { store, disk, problems, clock } = this.#options
    const specs = store.record.settled
    if (specs.length === 0) return problems.set('cache', [])
    await disk.check()
    // Problems stay unchanged while the size of the disk is unknown.
    if (!disk.isKnown) return
    if (clock.monotonic() - this.#sizesAtMs >= compareSizesEveryMs) {
      this.#sizesAtMs = clock.monotonic()
      const { mounts, restarts } = this.#options
      await restarts.requestWhere(specs, 'cache_size', (spec) => mounts.hasOtherCacheSize(spec))
    }
    const found = [...(await this.#smallParts(specs)), ...(await this.#withoutSpace(specs))]
    // A share without space is never reported before the disk.
    await disk.check()
    problems.set('cache', found)
  }

  async #smallParts(specs: readonly MountSpec[]): Promise<readonly InventoryProblem[]> {
    const { cacheSizes, cacheDirectory: directory } = this.#options
    const parts = await cacheSizes.all()
    const small = specs.filter((spec) => isSmall(spec, parts))
    const [first] = small
    if (first === undefined) return []
    const partMegabytes = parts.get(first.share) ?? 0
    return cacheSmall.find({
      directory,
      partMegabytes,
      leastMegabytes: smallestPartMegabytes,
      shares: small.length,
    })
  }

  /** Reports shares without space, and restarts their mounts when nothing waits to be uploaded: calls on them hang even after there is space again. */
  async #withoutSpace(specs: readonly MountSpec[]): Promise<readonly InventoryProblem[]> {
    const { mounts, restarts, readNames, incomplete } = this.#options
    const affected: { readonly path: string; readonly sentences: readonly string[] }[] = []
    for (const spec of specs) {
      const { share } = spec
      const count = this.#countOf(share)
      const isFull = count?.outOfSpace === 1
      if (isFull && count.dirtyFiles === 0)
        restarts.request(share, 'cache_out_of_space', {
          isNeeded: async () => this.#isStuck(share),
          ignoresOpenFiles: true,
        })
      const sentences = [
        ...(isFull && count.dirtyFiles > 0 ? [waitingText(count.dirtyFiles)] : []),
        ...incompleteText(incomplete.recent(share)),
      ]
      if (sentences.length > 0) affected.push({ path: mounts.pathOf(spec), sentences })
    }
    const names = affected.length === 0 ? {} : await readNames()
    return affected.flatMap(({ path, sentences }) => cacheOutOfSpace.find({ share: names[path] ?? path, sentences }))
  }

  #isStuck(share: number): boolean {
    const count = this.#countOf(share)
    return count?.outOfSpace === 1 && count.dirtyFiles === 0
  }

  #countOf(share: number) {
    return this.#options.counts.list().find((count) => count.share === share)
  }
}

function waitingText(files: number): string {
  return `It is still full, and ${files} of its files wait to be uploaded. Free space on the disk of the cache, or set a larger cache_size_mb, and check that Swift accepts uploads. The agent will restart the mount when no file waits.`
}

function incompleteText(recent: RecentlyIncomplete | undefined): readonly string[] {
  if (recent === undefined) return []
  const { files, last } = recent
  return [
    `Within the last hour ${files} files were not written completely, and their clients got an error. The agent renamed them to NAME.incomplete-<seconds>; the last one is '${last}'. Write these files again, and remove the renamed ones.`,
  ]
}
