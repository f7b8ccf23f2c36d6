import type { InventoryProblem } from '@roost/api-types/agent'
import { cacheNearlyFull } from '@roost/api-types/checks'
import type { Clock, Log } from '@roost/runtime'
import type { NodeProblems } from '../../machine/problems.js'
import type { IncompleteFiles } from '../cache/incomplete-files.js'
import type { ShareCounts } from '../cache/files/share-counts.js'
import type { CacheSizes } from './cache-sizes.js'
import type { MountStore } from '../desired/mount-store.js'

export interface CacheDiskWatchOptions {
  readonly store: MountStore
  readonly cacheSizes: CacheSizes
  readonly counts: ShareCounts
  readonly incomplete: Pick<IncompleteFiles, 'failedAtMs'>
  /** Contains the caches of all shares. */
  readonly cacheDirectory: string
  readonly problems: NodeProblems
  readonly clock: Clock
  readonly log: Log
}

export interface DiskReading {
  readonly atMs: number
  /** The part of the disk that is used. */
  readonly used: number
}

const nearlyFull = 0.9
/** A disk that fills is read more often: clients may write the rest of it within seconds. */
const filling = 0.5
const readEveryMs = 15_000
const readFillingEveryMs = 5_000
const shortestMs = 1_000
/** Readings until the disk is full at its present rate: one of them finds it between 90 % and 100 %, also if the rate doubles. */
const readingsUntilFull = 4
/** A disk without space has it again within seconds: the problem remains visible for so long. */
const reportFullMs = 60_000

/** Returns the milliseconds until the disk is read again: 15 s while less than half of it is used and it does not fill. */
export function readAgainMs(last: DiskReading | undefined, before: DiskReading | undefined): number {
  if (last === undefined) return readEveryMs
  const longestMs = last.used < filling ? readEveryMs : readFillingEveryMs
  if (before === undefined || last.used <= before.used || last.used >= nearlyFull) return longestMs
  const msUntilFull = ((1 - last.used) * (last.atMs - before.atMs)) / (last.used - before.used)
  return Math.min(longestMs, Math.max(shortestMs, msUntilFull / readingsUntilFull))
}

/** Reports the caches' disk as nearly full, the sooner the faster it fills, and never later than rclone reports that it is full. */
export class CacheDiskWatch {
  readonly #options: CacheDiskWatchOptions
  #last: DiskReading | undefined
  #before: DiskReading | undefined
  #askedAtMs = -Infinity
  #reading: Promise<void> | undefined
  #fault: string | undefined
  /** Shares whose mounts had no space at the last count. */
  #withoutSpace: ReadonlySet<number> = new Set()
  /** Time at which rclone last reported that the disk is full. */
  #fullAtMs = -Infinity

  constructor(options: CacheDiskWatchOptions) {
    this.#options = options
  }

  /** Returns whether the last reading succeeded. */
  get isKnown(): boolean {
    return this.#last !== undefined && this.#fault === undefined
  }

  /** Checks the disk, each second; starts a process only when a reading is due. */
  async check(): Promise<void> {
    const { store, problems } = this.#options
    if (store.record.settled.length === 0) {
      this.#last = this.#before = undefined
      this.#askedAtMs = -Infinity
      return problems.set('cache_disk', [])
    }
    this.#findFull()
    if (this.#isDue()) this.#reading ??= this.#read().finally(() => (this.#reading = undefined))
    await this.#reading
    // The problem stays unchanged when there is no reading.
    if (this.#last !== undefined && this.#fault === undefined)
      problems.set('cache_disk', this.#problemsAt(this.#last.used))
  }

  #findFull(): void {
    const { counts, incomplete, clock } = this.#options
    const full = counts.list().filter(({ outOfSpace }) => outOfSpace === 1)
    const isNew = full.some(({ share }) => !this.#withoutSpace.has(share))
    this.#withoutSpace = new Set(full.map(({ share }) => share))
    this.#fullAtMs = Math.max(this.#fullAtMs, incomplete.failedAtMs, isNew ? clock.monotonic() : -Infinity)
  }

  #isDue(): boolean {
    const sinceMs = this.#options.clock.monotonic() - this.#askedAtMs
    if (sinceMs >= readAgainMs(this.#last, this.#before)) return true
    const isNews = this.#fullAtMs >= this.#askedAtMs && (this.#last?.used ?? 0) < nearlyFull
    return isNews && sinceMs >= shortestMs
  }

  async #read(): Promise<void> {
    const { cacheSizes, clock, log } = this.#options
    this.#askedAtMs = clock.monotonic()
    try {
      const used = await cacheSizes.readDisk()
      this.#before = this.#last
      this.#last = { atMs: this.#askedAtMs, used }
      this.#fault = undefined
    } catch (error) {
      const fault = String(error)
      if (fault !== this.#fault) log.warn('could not read the disk of the cache', { error })
      this.#fault = fault
    }
  }

  #problemsAt(used: number): readonly InventoryProblem[] {
    const { cacheDirectory: directory, clock } = this.#options
    const usedPercent = Math.floor(100 * used)
    const percent = `${usedPercent} % full`
    const wasFull = clock.monotonic() - this.#fullAtMs < reportFullMs
    if (used < nearlyFull && !wasFull) return []
    const state =
      used < nearlyFull ? `had no space left for rclone within the last minute; now it is ${percent}` : `is ${percent}`
    return cacheNearlyFull.find({ directory, state, usedPercent, mostPercent: 100 * nearlyFull })
  }
}
