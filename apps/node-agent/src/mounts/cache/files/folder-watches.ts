import { type FSWatcher, watch } from 'node:fs'
import { basename, join } from 'node:path'

/** Limits the folders that all caches together watch; the kernel's own limit can be lower. */
export interface WatchBudget {
  left: number
}

/** A user's limit is 8,192 watches on small machines. */
export const defaultWatches = 8_000

export interface FolderWatchesOptions {
  readonly budget: WatchBudget
  /** Called when something of this name changed in a watched folder. */
  readonly onChange: (path: string) => void
}

/**
 * Watches folders, one watch each: Node's own recursive watch reads the complete tree at each change of it on version 20.
 */
export class FolderWatches {
  readonly #options: FolderWatchesOptions
  readonly #watchers = new Map<string, FSWatcher>()
  /** True when a folder is not watched because there are no more watches. */
  exhausted = false

  constructor(options: FolderWatchesOptions) {
    this.#options = options
  }

  has(folder: string): boolean {
    return this.#watchers.has(folder)
  }

  /** Watches a folder; returns false when that is not possible. */
  add(folder: string): boolean {
    if (this.#watchers.has(folder)) return true
    if (this.#options.budget.left <= 0) return this.#exhaust()
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        // The folder itself was removed or renamed, which ends the watch.
        if (name === null || name === basename(folder)) {
          this.remove(folder)
          this.#options.onChange(folder)
        }
        if (name !== null) this.#options.onChange(join(folder, name))
      })
      watcher.on('error', () => this.remove(folder))
      this.#watchers.set(folder, watcher)
      this.#options.budget.left -= 1
      return true
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      return code === 'ENOSPC' || code === 'EMFILE' ? this.#exhaust() : false
    }
  }

  /** Stops watching a folder and those below it: after a rename they would report old names. */
  remove(folder: string): void {
    for (const [path, watcher] of this.#watchers)
      if (path === folder || path.startsWith(`${folder}/`)) {
        watcher.close()
        this.#watchers.delete(path)
        this.#options.budget.left += 1
      }
  }

  /** Watches these folders and no others. */
  replace(folders: readonly string[]): void {
    this.exhausted = false
    const kept = new Set(folders)
    for (const path of this.#watchers.keys()) if (!kept.has(path)) this.remove(path)
    for (const folder of folders) this.add(folder)
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#options.budget.left += this.#watchers.size
    this.#watchers.clear()
  }

  #exhaust(): false {
    this.exhausted = true
    return false
  }
}
