import type { Clock } from './clock.js'
import type { DiskReader, DiskSpace } from './disk-space.js'
import { Periodic } from './periodic.js'

/** A data directory is nearly full when less than a twentieth of its disk is available, within these bounds. */
export interface SpaceBounds {
  readonly leastBytes: number
  readonly mostBytes: number
}

export interface DataDirWatchOptions {
  readonly reader: DiskReader
  readonly bounds: SpaceBounds
  readonly clock: Clock
  readonly onReading: (space: DiskSpace, isNearlyFull: boolean) => void
  /** Called once for each fault that differs from the last. */
  readonly onFault: (error: unknown) => void
}

const readEveryMs = 600_000
/** A reading costs about 0.05 s of CPU: more often only while there is less than twice the bound. */
const readLowEveryMs = 60_000

export function nearlyFullBelow({ totalBytes }: DiskSpace, { leastBytes, mostBytes }: SpaceBounds): number {
  return Math.min(mostBytes, Math.max(leastBytes, totalBytes / 20))
}

/** Watches the disk that holds a program's own files, and reports before it is full. */
export class DataDirWatch {
  readonly #options: DataDirWatchOptions
  readonly #rounds: Periodic
  #space: DiskSpace | undefined
  #fault: string | undefined

  /** Reads at once. */
  constructor(options: DataDirWatchOptions) {
    this.#options = options
    this.#rounds = new Periodic({
      clock: options.clock,
      intervalMs: () => (this.#isLow() ? readLowEveryMs : readEveryMs),
      work: () => this.#read(),
      onError: (error) => this.#fail(error),
    })
  }

  /** NaN while the disk cannot be read. */
  get availableBytes(): number {
    return this.#space?.availableBytes ?? Number.NaN
  }

  /** Undefined while the disk cannot be read. */
  get space(): DiskSpace | undefined {
    return this.#space
  }

  async stop(): Promise<void> {
    this.#options.reader.close()
    await this.#rounds.stop()
  }

  async #read(): Promise<void> {
    const { reader, bounds, onReading } = this.#options
    const space = await reader.read()
    this.#space = space
    this.#fault = undefined
    onReading(space, space.availableBytes < nearlyFullBelow(space, bounds))
  }

  #fail(error: unknown): void {
    this.#space = undefined
    if (this.#fault === String(error)) return
    this.#fault = String(error)
    this.#options.onFault(error)
  }

  #isLow(): boolean {
    return (
      this.#space !== undefined && this.#space.availableBytes < 2 * nearlyFullBelow(this.#space, this.#options.bounds)
    )
  }
}
