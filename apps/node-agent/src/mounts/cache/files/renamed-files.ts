import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as z from 'zod/mini'
import { SerialQueue } from '@roost/runtime'
import { writeManagedFile } from '../../../machine/managed-file.js'
import { readManagedRecord } from '../../../machine/managed-record.js'
import type { DirtyFile } from './cached-file.js'
import { pathInContainer } from './cached-file.js'

const RenamedFile = z.object({
  share: z.number(),
  remote: z.string(),
  container: z.string(),
  /** Paths in the container. */
  from: z.string(),
  to: z.string(),
  /** Unix milliseconds. */
  renamedAtMs: z.number(),
  /** The size of the object under the old name, once it was seen to be a leftover. */
  leftoverBytes: z.nullable(z.number()),
})
/** Describes a dirty file that was renamed, maybe during its upload. */
export type RenamedFile = z.infer<typeof RenamedFile>

const RenamedFilesRecord = z.array(RenamedFile)

/** The limit of a node; the oldest file without a leftover is dropped first. */
const mostFiles = 2_000
/** An upload begins 5 s after a close, and a close may be up to 3 s older than the first reading of the file. */
const soonestUploadMs = 2_000

/** Keeps the dirty files that were renamed, in memory and on disk. */
export class RenamedFiles {
  readonly #path: string
  #files: readonly RenamedFile[]
  #saved: readonly RenamedFile[]
  readonly #queue = new SerialQueue()

  private constructor(path: string, files: readonly RenamedFile[]) {
    this.#path = path
    this.#files = files
    this.#saved = files
  }

  /** Reads the record. Rejects when it is damaged. */
  static async read(path: string): Promise<RenamedFiles> {
    const remedy = 'Remove it. The agent then no longer knows which objects renames may have left behind in Swift.'
    return new RenamedFiles(path, (await readManagedRecord(path, RenamedFilesRecord, remedy)) ?? [])
  }

  list(): readonly RenamedFile[] {
    return this.#files
  }

  /** Records that a dirty file got a name; `before` is the same file under its previous name. */
  appeared(share: number, file: DirtyFile, before: DirtyFile | undefined): void {
    const path = pathInContainer(file.key)
    const { remote, container } = containerOf(file.key)
    const isInSameContainer = (one: RenamedFile) =>
      one.share === share && one.remote === remote && one.container === container
    // The upload of this file replaces the object under that name.
    let files = this.#files.filter((one) => !(isInSameContainer(one) && one.from === path))
    if (before !== undefined) {
      const from = pathInContainer(before.key)
      files = files.map((one) =>
        isInSameContainer(one) && one.to === from ? { ...one, to: path, leftoverBytes: null } : one,
      )
      if (file.changedAtMs - before.dirtySinceMs >= soonestUploadMs)
        files.push({ share, remote, container, from, to: path, renamedAtMs: file.changedAtMs, leftoverBytes: null })
    }
    this.#files = bounded(files)
  }

  replace(file: RenamedFile, next: RenamedFile): void {
    this.#files = this.#files.map((one) => (one === file ? next : one))
  }

  forget(file: RenamedFile): void {
    this.#files = this.#files.filter((one) => one !== file)
  }

  /** Writes what has changed to the disk. */
  save(): Promise<void> {
    return this.#queue.run(async () => {
      const files = this.#files
      if (isSame(files, this.#saved)) return
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 })
      await writeManagedFile(this.#path, JSON.stringify(files))
      this.#saved = files
    })
  }
}

/** Parses a key, `<remote>/<container>/<path>`. */
function containerOf(key: string): { readonly remote: string; readonly container: string } {
  const [remote = '', container = ''] = key.split('/')
  return { remote, container }
}

function isSame(files: readonly RenamedFile[], others: readonly RenamedFile[]): boolean {
  return files.length === others.length && files.every((file, i) => file === others[i])
}

function bounded(files: readonly RenamedFile[]): readonly RenamedFile[] {
  if (files.length <= mostFiles) return files
  const dropped = files.find(({ leftoverBytes }) => leftoverBytes === null) ?? files[0]
  return files.filter((file) => file !== dropped)
}
