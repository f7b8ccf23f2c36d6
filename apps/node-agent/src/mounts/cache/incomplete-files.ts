import { join } from 'node:path'
import type { Clock, Log } from '@roost/runtime'
import type { NewLines } from '../rclone/log-tail.js'
import { cacheFolderOf } from '../desired/mount-spec.js'
import type { MountSpec } from '../desired/mount-spec.js'
import { failedWriteOf } from '../rclone/log.js'
import type { BusyFiles } from './busy-files.js'
import { incompletePath, isWrittenAgain, readFileState } from './files/failed-file.js'
import type { FileState } from './files/failed-file.js'
import type { RenameFiles } from './files/rename-files.js'

export interface IncompleteFilesOptions {
  /** Lists the mounts that clients use. */
  readonly mounts: () => readonly MountSpec[]
  readonly pathOf: (share: number) => string
  /** Returns what the share's rclone logged since the last call. */
  readonly newLines: (share: number) => NewLines
  readonly readBusy: BusyFiles
  /** Holds a cache for each share, named by the share's id. */
  readonly cacheDirectory: string
  readonly rename: RenameFiles
  readonly clock: Clock
  readonly log: Log
}

/** Counts the files of a share that lost their name within the last hour. */
export interface RecentlyIncomplete {
  readonly files: number
  /** The present path of the last one. */
  readonly last: string
}

interface FailedFile {
  failedAtMs: number
  seen: FileState
}

interface Share {
  readonly failed: Map<string, FailedFile>
  /** Renames of the last hour, on the monotonic clock. */
  renamed: readonly { readonly atMs: number; readonly path: string }[]
  retryAtMs: number
}

const maxFailed = 10_000
const renamesAtOnce = 100
const retryMs = 15_000
const recentMs = 3_600_000
const checkEveryMs = 1_000
const alertEveryMs = 200
/** More failures are likely after a first one. */
const alertMs = 60_000

/**
 * A file whose write found no space stays truncated in rclone's cache, and rclone uploads it under its name. It gets another
 * name as soon as it is closed, unless its client has written it again.
 */
export class IncompleteFiles {
  readonly #options: IncompleteFilesOptions
  readonly #shares = new Map<number, Share>()
  #failedAtMs = -Infinity

  constructor(options: IncompleteFilesOptions) {
    this.#options = options
  }

  recent(share: number): RecentlyIncomplete | undefined {
    const since = this.#options.clock.monotonic() - recentMs
    const renamed = (this.#shares.get(share)?.renamed ?? []).filter(({ atMs }) => atMs >= since)
    const last = renamed.at(-1)
    return last === undefined ? undefined : { files: renamed.length, last: last.path }
  }

  /** Returns when a write last found no space, on the monotonic clock. */
  get failedAtMs(): number {
    return this.#failedAtMs
  }

  /** Returns the time until the next check: rclone uploads a file 5 s after its close, and clients may write it again sooner. */
  get intervalMs(): number {
    return this.#options.clock.monotonic() - this.#failedAtMs < alertMs ? alertEveryMs : checkEveryMs
  }

  async check(): Promise<void> {
    const specs = this.#options.mounts()
    const present = new Set(specs.map(({ share }) => share))
    for (const share of this.#shares.keys()) if (!present.has(share)) this.#shares.delete(share)
    // A mount that hangs must not delay the others.
    await Promise.all(specs.map((spec) => this.#checkShare(spec)))
  }

  async #checkShare(spec: MountSpec): Promise<void> {
    const { clock, log } = this.#options
    const share = this.#shares.get(spec.share) ?? { failed: new Map(), renamed: [], retryAtMs: -Infinity }
    this.#shares.set(spec.share, share)
    try {
      await this.#findFailed(spec, share)
      if (share.failed.size > 0 && clock.monotonic() >= share.retryAtMs) await this.#renameClosed(spec, share)
    } catch (error) {
      share.retryAtMs = clock.monotonic() + retryMs
      log.warn('could not rename incomplete files of a share', { share: spec.share, error })
    }
  }

  async #findFailed(spec: MountSpec, { failed }: Share): Promise<void> {
    const { newLines, clock } = this.#options
    const { lines, writtenAtMs } = newLines(spec.share)
    const cache = this.#cacheOf(spec)
    const start = `${join(cache, 'vfs', cacheFolderOf(spec))}/`
    const found = new Map<string, number>()
    for (const line of lines) {
      const write = failedWriteOf(line, writtenAtMs)
      if (write?.path.startsWith(start) === true) found.set(write.path.slice(start.length), write.failedAtMs)
    }
    for (const [path, failedAtMs] of found) {
      // The log may be older than this process.
      this.#failedAtMs = Math.max(this.#failedAtMs, clock.monotonic() - Math.max(0, clock.now() - failedAtMs))
      const seen = await readFileState(cache, `${cacheFolderOf(spec)}/${path}`)
      if (seen !== undefined && (failed.size < maxFailed || failed.has(path))) failed.set(path, { failedAtMs, seen })
    }
  }

  async #renameClosed(spec: MountSpec, share: Share): Promise<void> {
    const { rename, readBusy, pathOf, clock } = this.#options
    const cache = this.#cacheOf(spec)
    const folder = cacheFolderOf(spec)
    const busy = await readBusy(spec)
    const renames = []
    for (const [path, { seen, failedAtMs }] of share.failed) {
      if (busy.has(`${folder}/${path}`)) continue
      const now = await readFileState(cache, `${folder}/${path}`)
      if (now === undefined || isWrittenAgain(seen, now, failedAtMs)) share.failed.delete(path)
      else renames.push({ from: path, to: incompletePath(path, clock.now()), ...now })
      if (renames.length === renamesAtOnce) break
    }
    if (renames.length === 0) return
    await rename(pathOf(spec.share), renames)
    for (const { from, to, inode } of renames) {
      const after = await readFileState(cache, `${folder}/${to}`)
      if (after?.inode === inode) this.#report(spec, share, from, to)
    }
  }

  #report({ share: id }: MountSpec, share: Share, from: string, to: string): void {
    const { clock, log } = this.#options
    share.failed.delete(from)
    const since = clock.monotonic() - recentMs
    share.renamed = [...share.renamed.filter(({ atMs }) => atMs >= since), { atMs: clock.monotonic(), path: to }]
    log.warn('renamed an incomplete file, the cache had no space', {
      share: id,
      file: from,
      name: to,
    })
  }

  #cacheOf({ share }: MountSpec): string {
    return join(this.#options.cacheDirectory, String(share))
  }
}
