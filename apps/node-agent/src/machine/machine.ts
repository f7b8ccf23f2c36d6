import { closeSync, openSync, readFileSync, readSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { posix } from 'node:path'

/**
 * The machine's files under a root prefix. Everything here reads synchronously: `/proc` is answered from the
 * kernel's memory, while libuv's four threads may all hang in a dead mount. Never call it on a path below a mount, or on a file
 * in `/sys` that a driver answers: use `readSlowly`.
 */
export interface Machine {
  /** Where the machine's `/` lies on ours. */
  readonly root: string
  /** Returns our path for a path of the machine; `..` cannot leave the root. */
  path(path: string): string
  /** Reads the text of a file; undefined when it is not there. Throws on any other fault. */
  read(path: string): string | undefined
  /** Reads the bytes of a file; undefined when it is not there. Throws on any other fault. */
  readBytes(path: string): Buffer | undefined
  /** Returns a text that changes with the file: its inode, size and time of change; undefined when it is not there. */
  stamp(path: string): string | undefined
  /** Returns the time of the last write in Unix milliseconds; undefined when the file is not there. */
  modifiedAt(path: string): number | undefined
  /** Returns the time of the last change of content, owner, mode or name in Unix milliseconds; undefined when it is not there. */
  changedAt(path: string): number | undefined
  /** Lists the names in a folder, sorted; none when it is not there. */
  list(path: string): readonly string[]
  /** Returns the target of a symbolic link; undefined when it is none. */
  link(path: string): string | undefined
}

export function openMachine(root = '/'): Machine {
  const base = posix.resolve(root)
  const path =
    base === '/' ? (wanted: string) => wanted : (wanted: string) => posix.join(base, posix.normalize(`/${wanted}`))
  const within = base === '/' ? () => true : staysWithin(base)
  return {
    root: base,
    path,
    read: (wanted) =>
      unlessMissing(() => {
        const file = path(wanted)
        return within(file) ? readText(file) : undefined
      }),
    readBytes: (wanted) =>
      unlessMissing(() => {
        const file = path(wanted)
        return within(file) ? readFileSync(file) : undefined
      }),
    stamp: (wanted) =>
      unlessMissing(() => {
        const { ino, size, mtimeMs } = statSync(path(wanted))
        return `${ino} ${size} ${mtimeMs}`
      }),
    modifiedAt: (wanted) => unlessMissing(() => statSync(path(wanted)).mtimeMs),
    changedAt: (wanted) => unlessMissing(() => statSync(path(wanted)).ctimeMs),
    list: (wanted) =>
      unlessMissing(() => {
        const folder = path(wanted)
        return within(folder) ? readdirSync(folder).toSorted() : undefined
      }) ?? [],
    link: (wanted) => unlessMissing(() => readlinkSync(path(wanted))),
  }
}

/** Returns the machine whose kernel answers for this one: a root without a `/proc` or `/sys` of its own is a folder of ours. */
export function kernelOf(machine: Machine): Machine {
  const hasOwn = machine.root === '/' || machine.list('/proc').length > 0 || machine.list('/sys').length > 0
  return hasOwn ? machine : openMachine()
}

/** A link under the prefix may lead out of it, to the files of the machine that we run on. */
function staysWithin(base: string): (file: string) => boolean {
  const real = realRoot(base)
  return (file) => `${realpathSync(file)}/`.startsWith(`${real}/`)
}

function realRoot(base: string): string {
  try {
    return realpathSync(base)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`The root ${base} cannot be read (${code}): check --root, or root in the configuration.`, {
      cause: error,
    })
  }
}

// Nothing else runs while a file is read, so that all reads share one buffer.
const buffer = Buffer.allocUnsafeSlow(64 * 1024)

/** The kernel says 0 as the size of its files: one read into a kept buffer is enough for nearly all of them. */
function readText(file: string): string {
  const fd = openSync(file, 'r')
  try {
    let length = 0
    for (;;) {
      const got = readSync(fd, buffer, length, buffer.length - length, null)
      if (got === 0) return buffer.toString('utf8', 0, length)
      length += got
      if (length === buffer.length) return readFileSync(file, 'utf8')
    }
  } finally {
    closeSync(fd)
  }
}

// ENODEV and EINVAL: a file of a device that went away, or that this device does not fill.
const missing = new Set(['ENOENT', 'ENOTDIR', 'ENODEV', 'EINVAL', 'ESRCH', 'ENXIO', 'EOPNOTSUPP'])

function unlessMissing<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (missing.has((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
