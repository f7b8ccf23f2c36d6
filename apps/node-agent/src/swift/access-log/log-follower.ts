import { stat } from 'node:fs/promises'
import { type Head, headOf, hasHead, type LogFile, readLines, rotatedFiles, unlessGone } from './log-file.js'

/** The position up to which a file was read. */
export interface LogPosition {
  readonly head: Head
  readonly offset: number
}

interface CurrentFile extends LogFile {
  readonly sizeBytes: number
}

export interface FollowerState {
  /** The newest file first. */
  readonly positions: readonly LogPosition[]
  /** Files that were not written after this time have nothing new. */
  readonly lookedAtMs: number
}

export interface FollowerOptions {
  readonly path: string
  /** The state of an earlier process; null for the first one, which reads only the current file. */
  readonly saved: FollowerState | null
  readonly onLine: (line: string) => void
  /** Called when the next line does not continue the last one: a part of the log is lost. */
  readonly onGap: () => void
}

/** Times of files are those of the kernel's last tick. */
const clockGrainMs = 50
/** The limit of one round; a reader with a backlog needs several rounds. */
const mostBytes = 64 << 20
/** The number of older files whose positions are kept. */
const mostPositions = 16
/** A daemon writes to the old file until it opens the new one. */
const rotationsWatched = 60

/**
 * Follows a log over rotations of every kind (renamed, copied and truncated, packed), its own restarts, and both at once: a file is known
 * by its first bytes. Each line after the saved positions is read once.
 */
export class LogFollower {
  readonly #options: FollowerOptions
  #positions: readonly LogPosition[]
  #isFirst: boolean
  #lookedAtMs: number
  #roundsToWatch = 0

  constructor(options: FollowerOptions) {
    this.#options = options
    this.#positions = options.saved?.positions ?? []
    this.#isFirst = options.saved === null
    this.#lookedAtMs = options.saved?.lookedAtMs ?? 0
  }

  /** Returns the state to save, together with the results of the lines. */
  get state(): FollowerState {
    return { positions: this.#positions, lookedAtMs: this.#lookedAtMs }
  }

  /** Reads new lines; returns `some` when the limit of one round is reached. Rejects when the log cannot be read. */
  async read(nowMs: number): Promise<'all' | 'some' | 'missing'> {
    const current = await this.#current()
    const known = current && (await this.#positionIn(current))
    if (known === undefined) {
      if (!this.#isFirst && !(await this.#readOlder(current))) return 'some'
    } else if (this.#roundsToWatch-- > 0) await this.#readRest()
    this.#isFirst = false
    if (current === undefined) return 'missing'
    const atEnd = await this.#readFile(current, known)
    if (atEnd) this.#lookedAtMs = nowMs
    return atEnd ? 'all' : 'some'
  }

  /** Returns undefined for another file than the one that was read last. */
  async #positionIn(file: CurrentFile): Promise<LogPosition | undefined> {
    const newest = this.#positions[0]
    if (newest === undefined || file.sizeBytes < newest.offset) return undefined
    return (await hasHead(file, newest.head)) ? newest : undefined
  }

  async #current(): Promise<CurrentFile | undefined> {
    const { path } = this.#options
    const found = await stat(path).catch(unlessGone)
    return found && { path, isPacked: false, modifiedAt: found.mtimeMs, sizeBytes: found.size }
  }

  /** Reads after a rotation: first the rest of the file that was read last, then the files that were created since. */
  async #readOlder(current: LogFile | undefined): Promise<boolean> {
    this.#roundsToWatch = rotationsWatched
    const older = await rotatedFiles(this.#options.path)
    if (!(await this.#isContinuedBy(older))) this.#options.onGap()
    for (const file of older.filter(({ modifiedAt }) => modifiedAt >= this.#lookedAtMs - clockGrainMs)) {
      const known = await this.#known(file)
      if (known === undefined && (await this.#isCopy(file, current))) continue
      if (!(await this.#readFile(file, known))) return false
    }
    return true
  }

  /** Returns true if the file that was read last still exists. */
  async #isContinuedBy(older: readonly LogFile[]): Promise<boolean> {
    const newest = this.#positions[0]
    if (newest === undefined) return true
    for (const file of older.toReversed()) if (await hasHead(file, newest.head)) return true
    return false
  }

  async #isCopy(file: LogFile, current: LogFile | undefined): Promise<boolean> {
    const head = await headOf(file)
    return head === undefined || (current !== undefined && (await hasHead(current, head)))
  }

  async #known(file: LogFile): Promise<LogPosition | undefined> {
    for (const position of this.#positions) if (await hasHead(file, position.head)) return position
    return undefined
  }

  /** Reads lines that a daemon still writes to the previous file. */
  async #readRest(): Promise<void> {
    const before = this.#positions[1]
    if (before === undefined) return
    for (const file of await rotatedFiles(this.#options.path))
      if (!file.isPacked && (await hasHead(file, before.head))) return void (await this.#readFile(file, before))
  }

  /** Returns true if the file was read to its end. */
  async #readFile(file: LogFile, known: LogPosition | undefined): Promise<boolean> {
    const head = known?.head ?? (await headOf(file))
    if (head === undefined) return true
    const { offset, atEnd, fault } = await readLines(file, known?.offset ?? 0, mostBytes, this.#options.onLine)
    const position = { head, offset }
    if (known === undefined) this.#positions = [position, ...this.#positions].slice(0, mostPositions)
    else this.#positions = this.#positions.map((one) => (one === known ? position : one))
    if (fault !== undefined && !file.isPacked) throw fault
    if (fault !== undefined) this.#options.onGap()
    return atEnd
  }
}
