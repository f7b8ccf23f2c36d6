import type { CacheStats } from '../rclone/remote-control.js'
import type { DirtyFile } from './files/cached-file.js'
import { DirtyFiles } from './files/dirty-files.js'
import type { DirtyFilesOptions } from './files/dirty-files.js'
import type { ShareCount } from './files/share-counts.js'

/** The cache of one share: its dirty files, and what rclone says of it. */
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

  /** Files that were uploaded since the watch began. */
  get uploaded(): number {
    return this.#files.uploaded
  }

  /** Undefined while its mount does not answer. */
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

  /** Also true before the cache was read for the first time. */
  mayBeDirty(key: string): boolean {
    return !this.#isRead || this.#files.find(key) !== undefined
  }

  get isDirty(): boolean {
    return this.#files.list().length > 0
  }

  /** Oldest change first. */
  dirty(): readonly DirtyFile[] {
    return this.#files.list().toSorted((one, other) => one.changedAtMs - other.changedAtMs)
  }

  close(): void {
    this.#files.close()
  }
}
