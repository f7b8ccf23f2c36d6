import { closeSync, fstatSync, openSync, readSync, truncateSync } from 'node:fs'

/** Contains what a program logged since the last read. */
export interface NewLines {
  readonly lines: readonly string[]
  /** Unix time of the last write to the log: none of the lines is later. */
  readonly writtenAtMs: number
}

/** Limits what is read of a log that was written before the first read. */
const firstReadBytes = 256 << 10
const maxReadBytes = 2 << 20
const maxLines = 20_000

/** Reads a growing log, each line once, also when it is truncated or replaced. */
export class LogTail {
  readonly #file: string
  #position: number | undefined
  #rest = ''
  #lines: string[] = []
  #writtenAtMs = 0

  constructor(file: string) {
    this.#file = file
  }

  read(): NewLines {
    this.#collect()
    const lines = this.#lines
    this.#lines = []
    return { lines, writtenAtMs: this.#writtenAtMs }
  }

  /** Keeps the first bytes of the file. */
  trim(bytes: number): void {
    this.#collect()
    truncateSync(this.#file, bytes)
    this.#position = bytes
  }

  /** Reads the rest of a file that is about to be removed; the next one is read from its start. */
  end(): void {
    this.#collect()
    this.#position = 0
    this.#rest = ''
  }

  #collect(): void {
    const fd = openLog(this.#file)
    if (fd === undefined) return
    try {
      const { size, mtimeMs } = fstatSync(fd)
      const position = Math.max(this.#position ?? size - firstReadBytes, size - maxReadBytes, 0)
      if (size <= position) return
      const bytes = Buffer.alloc(size - position)
      const length = readSync(fd, bytes, 0, bytes.length, position)
      this.#position = position + length
      this.#writtenAtMs = mtimeMs
      const lines = `${this.#rest}${bytes.toString('utf8', 0, length)}`.split('\n')
      this.#rest = lines.pop() ?? ''
      this.#lines = [...this.#lines, ...lines].slice(-maxLines)
    } finally {
      closeSync(fd)
    }
  }
}

/** Returns the tail of a program's log, which it creates at the first use. */
export function logTails(fileOf: (name: string) => string): (name: string) => LogTail {
  const tails = new Map<string, LogTail>()
  return (name) => {
    const tail = tails.get(name) ?? new LogTail(fileOf(name))
    tails.set(name, tail)
    return tail
  }
}

function openLog(file: string): number | undefined {
  try {
    return openSync(file, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
