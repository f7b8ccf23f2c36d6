import type { Stats } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A file in rclone's cache that is not in Swift as it is in the cache. */
export interface DirtyFile {
  /** `<remote>/<container>/<path>`, as in the cache's folders. */
  readonly key: string
  readonly bytes: number
  /** Unix milliseconds of the last change by a client. */
  readonly changedAtMs: number
  /** Set by the client or by rclone. */
  readonly modifiedAtMs: number
  /** Unix milliseconds of its first change since it was clean, or had another name. */
  readonly dirtySinceMs: number
  /** Stays the same after a rename. */
  readonly inode: number
}

/** `unreadable`: rclone is writing it; read it again later. */
export type CachedFile = DirtyFile | 'clean' | 'missing' | 'unreadable'

/** Reads the state of one file of a cache, from rclone's metadata and the data beside it. */
export async function readCachedFile(cache: string, key: string): Promise<CachedFile> {
  const text = await unlessMissing(readFile(join(metaFolder(cache), key), 'utf8'))
  if (text === undefined) return 'missing'
  const isDirty = parseDirty(text)
  if (isDirty === undefined) return 'unreadable'
  if (!isDirty) return 'clean'
  // Clients can set the mtime, but only the kernel sets the ctime.
  const data = await unlessMissing(stat(join(cache, 'vfs', key)))
  if (data === undefined) return 'missing'
  const { size: bytes, ctimeMs: changedAtMs, mtimeMs: modifiedAtMs, ino: inode } = data
  return { key, bytes, changedAtMs, modifiedAtMs, dirtySinceMs: changedAtMs, inode }
}

/** Returns whether the cache has any data of the file. */
export async function isCached(cache: string, key: string): Promise<boolean> {
  return (await unlessMissing(stat(join(metaFolder(cache), key)))) !== undefined
}

export function metaFolder(cache: string): string {
  return join(cache, 'vfsMeta')
}

/** Returns whether the filesystem stores all of a file: no part in its middle is missing. */
export function isComplete({ blocks, size }: Pick<Stats, 'blocks' | 'size'>): boolean {
  return blocks * 512 >= size
}

/** Returns undefined when the text is not complete. */
export function parseDirty(text: string): boolean | undefined {
  try {
    const dirty = (JSON.parse(text) as { readonly Dirty?: unknown } | null)?.Dirty
    return typeof dirty === 'boolean' ? dirty : undefined
  } catch {
    return undefined
  }
}

/** Returns the path of a key within its container. */
export function pathInContainer(key: string): string {
  return key.split('/').slice(2).join('/')
}

async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined
    throw error
  }
}
