import type { CacheStats } from '../rclone/remote-control.js'
import type { DirtyFile } from './files/cached-file.js'
import { DirtyFiles } from './files/dirty-files.js'
import type { DirtyFilesOptions } from './files/dirty-files.js'
import type { ShareCount } from './files/share-counts.js'

/** Describes the cache of one share: its dirty files, and rclone's statistics. */
export class ShareCache {
  readonly share: number
  readonly #files: DirtyFiles
  #stats: CacheStats | undefined
  #isRead = false

  constructor(share: number, options: DirtyFilesOptions) {
    this.share = share
    this.#files = new DirtyFiles(options)
  }

  get isScannedOnly(): boolean {
    return this.#files.isScannedOnly
  }

  /** Returns how many files were uploaded since the watch began. */
  get uploaded(): number {
    return this.#files.uploaded
  }

  /** Returns the statistics of the last count; undefined while the mount does not answer. */
  get stats(): CacheStats | undefined {
    return this.#stats
  }

  async refresh(): Promise<void> {
    await this.#files.refresh()
    this.#isRead = true
  }

  count(stats: CacheStats | undefined, nowMs: number): Omit<ShareCount, 'leftoverFiles'> {
    this.#stats = stats
    const files = this.#files.list()
    let bytes = 0
    let oldestMs = nowMs
    for (const file of files) {
      bytes += file.bytes
      oldestMs = Math.min(oldestMs, file.changedAtMs)
    }
    return {
      share: this.share,
      dirtyFiles: files.length,
      dirtyBytes: bytes,
      oldestDirtySeconds: (nowMs - oldestMs) / 1_000,
      cacheBytes: stats?.bytesUsed ?? Number.NaN,
      uploadsQueued: stats === undefined ? Number.NaN : stats.uploadsQueued + stats.uploadsInProgress,
      uploadErrors: stats?.erroredFiles ?? Number.NaN,
      outOfSpace: stats === undefined ? Number.NaN : Number(stats.outOfSpace),
    }
  }

  /** Returns whether a file may be dirty: also true before the cache was read for the first time. */
  mayBeDirty(key: string): boolean {
    return !this.#isRead || this.#files.find(key) !== undefined
  }

  get isDirty(): boolean {
    return this.#files.list().length > 0
  }

  /** Lists the dirty files, the oldest change first. */
  dirty(): readonly DirtyFile[] {
    return this.#files.list().toSorted((one, other) => one.changedAtMs - other.changedAtMs)
  }

  close(): void {
    this.#files.close()
  }
}
