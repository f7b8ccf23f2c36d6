import type { DiskReader } from '@roost/runtime'
import type { MountSpec } from '../desired/mount-spec.js'
import type { MountStore } from '../desired/mount-store.js'

type SizedShare = Pick<MountSpec, 'share' | 'cacheMegabytes'>

/** The part of the disk that all caches together may use. */
const usable = 0.8
/** A new share without a size of its own needs so much. */
export const smallestPartMegabytes = 1024
const fewestParts = 8
const mebibyte = 1 << 20

/**
 * Divides the disk: returns megabytes of cache by share. A share without a size gets an equal part; the number of parts is a power of two, so that a
 * new share rarely changes the others. Sizes that exceed the disk are scaled down.
 */
export function divideCache(shares: readonly SizedShare[], diskMegabytes: number): ReadonlyMap<number, number> {
  const budget = Math.floor(usable * diskMegabytes)
  const part = Math.floor(budget / partsFor(shares.length))
  const sizes = shares.map(({ share, cacheMegabytes }) => [share, cacheMegabytes ?? part] as const)
  const sum = sizes.reduce((total, [, size]) => total + size, 0)
  const scale = sum > budget ? budget / sum : 1
  return new Map(sizes.map(([share, size]) => [share, Math.max(1, Math.floor(size * scale))]))
}

/** Throws for a new share whose part of the disk would be too small, with what to do. */
export function requirePart(added: readonly SizedShare[], all: readonly SizedShare[], diskMegabytes: number): void {
  const sizes = divideCache(all, diskMegabytes)
  const small = added.find((spec) => isSmall(spec, sizes))
  if (small === undefined) return
  throw new Error(
    `The disk of the cache has ${diskMegabytes} MB for ${all.length} shares, which leaves ${sizes.get(small.share)} MB for share ${small.share}; a new share needs ${smallestPartMegabytes} MB. Use a disk of ${neededMegabytes(small, all)} MB, or set cache_size_mb of the share.`,
  )
}

export function isSmall({ share, cacheMegabytes }: SizedShare, sizes: ReadonlyMap<number, number>): boolean {
  return cacheMegabytes === null && (sizes.get(share) ?? 0) < smallestPartMegabytes
}

function partsFor(shares: number): number {
  return Math.max(fewestParts, 2 ** Math.ceil(Math.log2(Math.max(1, shares))))
}

/** Returns the smallest disk on which the share has enough. */
function neededMegabytes(share: SizedShare, all: readonly SizedShare[]): number {
  let tooSmall = 0
  let enough = smallestPartMegabytes
  while (isSmall(share, divideCache(all, enough))) enough *= 2
  while (enough - tooSmall > 1) {
    const middle = Math.floor((tooSmall + enough) / 2)
    if (isSmall(share, divideCache(all, middle))) tooSmall = middle
    else enough = middle
  }
  return enough
}

export interface CacheSizesOptions {
  readonly store: MountStore
  readonly disk: DiskReader
}

/** Returns the sizes of the caches of this node's shares, by the last reading of the disk. */
export class CacheSizes {
  readonly #options: CacheSizesOptions
  #diskMegabytes: number | null = null

  constructor(options: CacheSizesOptions) {
    this.#options = options
  }

  /** Reads the disk; returns the part that is used. */
  async readDisk(): Promise<number> {
    const { totalBytes, availableBytes } = await this.#options.disk.read()
    this.#diskMegabytes = Math.floor(totalBytes / mebibyte)
    return 1 - availableBytes / totalBytes
  }

  /** Returns the sizes of these shares, or of those of the deployment in progress or the last one. */
  async all(shares: readonly SizedShare[] = this.#shares()): Promise<ReadonlyMap<number, number>> {
    return divideCache(shares, await this.#disk())
  }

  /** Returns the size of one cache in megabytes. */
  async sizeOf(spec: SizedShare): Promise<number> {
    const shares = this.#shares()
    const isKnown = shares.some(({ share }) => share === spec.share)
    return (await this.all(isKnown ? shares : [...shares, spec])).get(spec.share) ?? 1
  }

  /** Reads the disk first: it may have been enlarged or replaced since, and nothing reads it while there are no shares. */
  async requirePart(added: readonly SizedShare[], all: readonly SizedShare[]): Promise<void> {
    if (added.length > 0) requirePart(added, all, await this.#diskNow())
  }

  close(): void {
    this.#options.disk.close()
  }

  /** Reads the size of the disk, or returns the last one when that fails. */
  async #diskNow(): Promise<number> {
    await this.readDisk().catch((error: unknown) => {
      if (this.#diskMegabytes === null) throw error
    })
    return this.#disk()
  }

  async #disk(): Promise<number> {
    if (this.#diskMegabytes === null) await this.readDisk()
    return this.#diskMegabytes ?? 0
  }

  #shares(): readonly SizedShare[] {
    const { settled, staged } = this.#options.store.record
    return staged ?? settled
  }
}
