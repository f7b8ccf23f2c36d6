import { mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type Log, SerialQueue } from '@roost/runtime'
import { listFolder } from './list-folder.js'

export interface FrameBufferOptions {
  readonly dir: string
  /** The limit of all segments together, less `reservedBytes`. */
  readonly maxBytes: number
  /** The bytes that messages that must not be lost use now. */
  readonly reservedBytes: () => number
  readonly log: Log
}

interface Segment {
  readonly number: number
  sizeBytes: number
}

const segmentBytes = 1 << 20
const recordHeaderBytes = 8
/** Frames that wait for a slow disk; more are dropped. */
const maxWaiting = 32
const segmentFile = /^(\d{10})\.frames$/

/**
 * Metric frames of the time without a connection, in append-only segments: each record is its length, its CRC-32 and
 * the frame. The oldest segment goes when the bound is reached. A record that a crash or a full disk tore ends its
 * segment for the reader, and writing goes on in a new one.
 */
export class FrameBuffer {
  readonly #options: FrameBufferOptions
  readonly #segments: Segment[] = []
  #file: FileHandle | null = null
  #lastNumber = 0
  #waiting = 0
  #failing = false
  readonly #queue = new SerialQueue()

  private constructor(options: FrameBufferOptions) {
    this.#options = options
  }

  static async open(options: FrameBufferOptions): Promise<FrameBuffer> {
    const buffer = new FrameBuffer(options)
    for (const name of await listFolder(options.dir)) {
      const number = Number(segmentFile.exec(name)?.[1] ?? Number.NaN)
      if (Number.isNaN(number)) continue
      const { size } = await stat(join(options.dir, name))
      buffer.#segments.push({ number, sizeBytes: size })
      buffer.#lastNumber = number
    }
    return buffer
  }

  get sizeBytes(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.sizeBytes, 0)
  }

  /** Keeps a frame if it can; never throws. */
  append(frame: Uint8Array): void {
    if (this.#waiting >= maxWaiting) return
    this.#waiting += 1
    void this.#queue
      .run(() => this.#write(frame))
      .catch((error: unknown) => this.#failed(error))
      .finally(() => (this.#waiting -= 1))
  }

  /** Every whole frame, oldest first. What is appended meanwhile may be missing. */
  async *replay(): AsyncGenerator<Uint8Array> {
    await this.settled()
    for (const { number } of this.#segments.slice()) {
      // A segment that cannot be read is skipped: readings are worth less than those behind them.
      const bytes = await readFile(this.#path(number)).catch(() => Buffer.alloc(0))
      yield* completeRecords(bytes)
    }
  }

  /** Forgets everything. */
  clear(): Promise<void> {
    return this.#queue.run(() => this.#removeAll())
  }

  async settled(): Promise<void> {
    await this.#queue.settled()
  }

  async close(): Promise<void> {
    await this.settled()
    await this.#seal()
  }

  async #removeAll(): Promise<void> {
    await this.#seal()
    for (const { number } of this.#segments.splice(0)) await rm(this.#path(number), { force: true })
  }

  async #write(frame: Uint8Array): Promise<void> {
    const record = Buffer.alloc(recordHeaderBytes + frame.length)
    record.writeUInt32LE(frame.length, 0)
    record.writeUInt32LE(crc32(frame), 4)
    record.set(frame, recordHeaderBytes)
    await this.#makeRoom(record.length)
    const segment = await this.#segmentFor(record.length)
    segment.sizeBytes += record.length
    await this.#file?.writeFile(record)
    this.#failing = false
  }

  async #makeRoom(bytes: number): Promise<void> {
    const bound = this.#options.maxBytes - this.#options.reservedBytes()
    while (this.#segments.length > 0 && this.sizeBytes + bytes > bound) {
      if (this.#segments.length === 1) await this.#seal()
      const oldest = this.#segments.shift() as Segment
      await rm(this.#path(oldest.number), { force: true })
    }
    if (bytes > bound) throw new Error('Messages that must not be lost use all the space of the buffer.')
  }

  async #segmentFor(bytes: number): Promise<Segment> {
    const current = this.#segments.at(-1)
    if (this.#file !== null && current !== undefined && current.sizeBytes + bytes <= segmentBytes) return current
    await this.#seal()
    const next = { number: this.#lastNumber + 1, sizeBytes: 0 }
    await mkdir(this.#options.dir, { recursive: true, mode: 0o700 })
    this.#file = await open(this.#path(next.number), 'wx', 0o600)
    this.#lastNumber = next.number
    this.#segments.push(next)
    return next
  }

  async #seal(): Promise<void> {
    const file = this.#file
    this.#file = null
    try {
      await file?.close()
    } catch {
      // A full disk may say so here again; the descriptor is gone either way.
    }
  }

  /** Logs the fault once, until a frame could be saved again: the disk may stay full for days. */
  async #failed(error: unknown): Promise<void> {
    if (!this.#failing)
      this.#options.log.warn(
        'could not buffer readings on disk while the control plane is unreachable: check the free space and permissions of the data directory',
        {
          error,
        },
      )
    this.#failing = true
    await this.#seal()
  }

  #path(number: number): string {
    return join(this.#options.dir, `${String(number).padStart(10, '0')}.frames`)
  }
}

function* completeRecords(bytes: Buffer): Generator<Uint8Array> {
  for (let at = 0; at + recordHeaderBytes <= bytes.length;) {
    const start = at + recordHeaderBytes
    const length = bytes.readUInt32LE(at)
    const end = start + length
    // A power cut may leave zeros, whose checksum is right.
    if (length === 0 || end > bytes.length) return
    const frame = bytes.subarray(start, end)
    if (crc32(frame) !== bytes.readUInt32LE(at + 4)) return
    yield frame
    at = end
  }
}
