import { readdir, stat } from 'node:fs/promises'
import type { Clock } from '@roost/runtime'
import { metaFolder, readCachedFile } from './cached-file.js'
import type { DirtyFile } from './cached-file.js'
import type { CacheScan } from './cache-scan.js'
import { FolderWatches } from './folder-watches.js'
import type { WatchBudget } from './folder-watches.js'

export interface DirtyFilesOptions {
  /** The cache of one share. */
  readonly cache: string
  readonly scan: CacheScan
  readonly budget: WatchBudget
  readonly clock: Clock
  /** Called when a dirty file gets a name; `before` is the same file under its previous name. */
  readonly onAppear?: (file: DirtyFile, before: DirtyFile | undefined) => void
}

const scanEveryMs = 600_000
/** Each count is a scan when there are no watches: it may use one hundredth of the time of one core. */
const restPerScan = 100

/** Lists the files of one cache that are not in Swift: it scans all of them at times, and reads the changed ones in between. */
export class DirtyFiles {
  readonly #options: DirtyFilesOptions
  readonly #meta: string
  readonly #watches: FolderWatches
  readonly #changed = new Set<string>()
  #files = new Map<string, DirtyFile>()
  /** Known folders. */
  #folders = new Set<string>()
  #scanAtMs = -Infinity
  #uploaded = 0

  constructor(options: DirtyFilesOptions) {
    this.#options = options
    this.#meta = metaFolder(options.cache)
    this.#watches = new FolderWatches({ budget: options.budget, onChange: (path) => void this.#changed.add(path) })
  }

  list(): readonly DirtyFile[] {
    return [...this.#files.values()]
  }

  find(key: string): DirtyFile | undefined {
    return this.#files.get(key)
  }

  /** Counts the files that were dirty and then clean or removed, since the start. */
  get uploaded(): number {
    return this.#uploaded
  }

  /** Returns whether the kernel has no watches left for this cache, so that its files are counted by scans alone. */
  get isScannedOnly(): boolean {
    return this.#watches.exhausted
  }

  /** Reads what has changed; everything when a scan is due. Never call it twice at the same time. */
  async refresh(): Promise<void> {
    if (this.#options.clock.monotonic() >= this.#scanAtMs) await this.#scan()
    await this.#readChanged()
  }

  close(): void {
    this.#watches.close()
  }

  async #scan(): Promise<void> {
    const { cache, scan, clock } = this.#options
    const startedAtMs = clock.monotonic()
    if (!(await isFolder(this.#meta))) {
      this.#files.clear()
      return
    }
    const folders = await scan.folders(cache)
    this.#watches.replace(folders)
    // Folders that were created before their parent was watched.
    const more = await scan.folders(cache)
    for (const folder of more) this.#watches.add(folder)
    this.#folders = new Set([...folders, ...more])
    const dirty = await scan.dirty(cache)
    const tookMs = clock.monotonic() - startedAtMs
    this.#scanAtMs = startedAtMs + (this.isScannedOnly ? Math.min(scanEveryMs, restPerScan * tookMs) : scanEveryMs)
    for (const key of [...dirty, ...this.#files.keys()]) this.#changed.add(`${this.#meta}/${key}`)
  }

  async #readChanged(): Promise<void> {
    const paths = [...this.#changed]
    this.#changed.clear()
    const vanished: DirtyFile[] = []
    const appeared: DirtyFile[] = []
    for (const path of paths) await this.#read(path, vanished, appeared)
    for (const after of appeared) {
      const before = vanished.find(({ inode }) => inode === after.inode)
      if (before !== undefined) vanished.splice(vanished.indexOf(before), 1)
      this.#options.onAppear?.(after, before)
    }
    // An uploaded file leaves a cache that does not retain files.
    this.#uploaded += vanished.length
  }

  async #read(path: string, vanished: DirtyFile[], appeared: DirtyFile[]): Promise<void> {
    const key = path.slice(this.#meta.length + 1)
    if (await isFolder(path)) return this.#readFolder(path, vanished, appeared)
    const before = this.#files.get(key)
    const file = await readCachedFile(this.#options.cache, key)
    if (file === 'unreadable') return void this.#changed.add(path)
    if (typeof file === 'object') {
      const isSame = before?.inode === file.inode
      this.#files.set(key, isSame ? laterOf(before, file) : file)
      if (!isSame) appeared.push(file)
      return
    }
    this.#files.delete(key)
    if (file === 'missing') {
      if (before !== undefined) vanished.push(before)
      this.#removeFolder(path, vanished)
    } else if (before !== undefined) this.#uploaded += 1
  }

  /** Watches a new folder before it lists it, so that nothing in it is missed. */
  async #readFolder(path: string, vanished: DirtyFile[], appeared: DirtyFile[]): Promise<void> {
    if (this.#watches.has(path)) return
    this.#watches.add(path)
    this.#folders.add(path)
    const names = await readdir(path).catch(() => [])
    for (const name of names) {
      const below = `${path}/${name}`
      if (!this.#watches.has(below)) await this.#read(below, vanished, appeared)
    }
  }

  #removeFolder(path: string, vanished: DirtyFile[]): void {
    if (!this.#folders.delete(path)) return
    this.#watches.remove(path)
    const prefix = `${path.slice(this.#meta.length + 1)}/`
    for (const [key, file] of this.#files)
      if (key.startsWith(prefix)) {
        this.#files.delete(key)
        vanished.push(file)
      }
  }
}

/** Merges two readings of a file. rclone sets the modification time of a dirty file after each close, also of a reader: that is not a change. */
function laterOf(before: DirtyFile, file: DirtyFile): DirtyFile {
  const isChanged = before.bytes !== file.bytes || before.modifiedAtMs !== file.modifiedAtMs
  const changedAtMs = isChanged ? file.changedAtMs : before.changedAtMs
  return { ...file, changedAtMs, dirtySinceMs: before.dirtySinceMs }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
