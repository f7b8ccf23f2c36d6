import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock, Log } from '@roost/runtime'
import { readManagedFile, writeManagedFile } from '../../machine/managed-file.js'
import type { FormatWatch } from './format-watch.js'
import type { LogFormat } from './log-format.js'
import { type FollowerState, LogFollower } from './log-follower.js'
import { DatagramListener } from '../../machine/datagram-listener.js'
import { type HalfHourTransfer, type ReportedHalfHour, TransferSums } from './transfer-sums.js'

/** The source of the proxy's access log. */
export type AccessLog =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'udp'; readonly address: string; readonly port: number }

export interface TransferOptions {
  readonly source: AccessLog
  readonly format: FormatWatch
  /** The folder of the saved sums. */
  readonly dir: string
  readonly clock: Clock
  readonly log: Log
}

interface Saved {
  readonly version: 1
  /** The first half-hour, in Unix seconds. */
  readonly since: number
  readonly coveredUntil: number
  readonly follower: FollowerState
  readonly halfHours: readonly HalfHourTransfer[]
}

const halfHourSeconds = 1_800
/** A file can be read again after a crash, datagrams cannot. */
const saveEveryMs = { file: 60_000, udp: 10_000 }
/** The control plane closes a half-hour an hour after its end. */
const keptSeconds = 3_600

/** Adds up the transfer of each account. Sums and positions are in one file, so that a crash neither repeats nor loses a line. */
export class TransferUsage {
  readonly #options: TransferOptions
  readonly #sums: TransferSums
  readonly #follower: LogFollower | undefined
  readonly #listener: DatagramListener | undefined
  readonly #since: number
  /** The end of the read part of the log, in Unix seconds. */
  #coveredUntil: number
  #isBehindGap = false
  #savedAtMs = -Infinity
  #lineTime = 0
  #format: LogFormat

  private constructor(options: TransferOptions, saved: Saved | null) {
    const { source } = options
    const now = options.clock.now() / 1_000
    this.#options = options
    this.#format = options.format()
    this.#since = saved?.since ?? now - (now % halfHourSeconds)
    this.#sums = new TransferSums(this.#since, saved?.halfHours)
    this.#coveredUntil = saved?.coveredUntil ?? 0
    if (source.kind === 'file') {
      this.#isBehindGap = saved === null
      this.#follower = new LogFollower({
        path: source.path,
        saved: saved?.follower ?? null,
        onLine: (line) => this.#addLine(line),
        onGap: () => (this.#isBehindGap = true),
      })
    } else {
      this.#coveredUntil = now
      this.#listener = new DatagramListener({
        what: "The proxy's access log",
        ...source,
        onDatagram: (bytes) => this.#addDatagram(Buffer.from(bytes).toString('latin1')),
      })
    }
  }

  static async open(options: TransferOptions): Promise<TransferUsage> {
    await mkdir(options.dir, { recursive: true, mode: 0o700 })
    return new TransferUsage(options, await readSaved(options))
  }

  /** Reads the new part of the log. Rejects when it cannot. */
  async read(): Promise<void> {
    const { clock, source } = this.#options
    this.#format = this.#options.format()
    try {
      if (this.#follower !== undefined) await this.#follow(this.#follower)
      else await this.#listen()
    } finally {
      this.#sums.forgetBefore(clock.now() / 1_000 - keptSeconds)
      if (clock.monotonic() - this.#savedAtMs >= saveEveryMs[source.kind]) await this.save()
    }
  }

  /** Returns the half-hours that changed since the last call. */
  collectChanged(): readonly ReportedHalfHour[] {
    return this.#sums.collectChanged()
  }

  async close(): Promise<void> {
    this.#listener?.close()
    await this.save()
  }

  async save(): Promise<void> {
    const saved: Saved = {
      version: 1,
      since: this.#since,
      coveredUntil: this.#coveredUntil,
      follower: this.#follower?.state ?? { positions: [], lookedAtMs: 0 },
      halfHours: this.#sums.save(),
    }
    await writeManagedFile(stateFile(this.#options.dir), JSON.stringify(saved))
    this.#savedAtMs = this.#options.clock.monotonic()
  }

  async #follow(follower: LogFollower): Promise<void> {
    const nowMs = this.#options.clock.now()
    const got = await follower.read(nowMs)
    if (got === 'missing') throw new Error(`${(this.#options.source as { path: string }).path} does not exist`)
    // A backlog is read up to its last line; at the end of the log everything until now is read.
    this.#cover(got === 'all' ? nowMs / 1_000 : this.#lineTime)
    if (got === 'all') this.#isBehindGap = this.#isUnreadable
  }

  async #listen(): Promise<void> {
    const now = this.#options.clock.now() / 1_000
    if (this.#listener?.port === undefined) {
      await this.#listener?.open()
      this.#coveredUntil = now
    } else {
      this.#cover(now)
      this.#isBehindGap = this.#isUnreadable
    }
  }

  /** True while no line of the proxy can be parsed: the transfer of that time is unknown. */
  get #isUnreadable(): boolean {
    return this.#format.faults.some((fault) => fault.of === 'requests')
  }

  #cover(until: number): void {
    if (this.#isBehindGap || this.#isUnreadable) this.#coveredUntil = until
    else if (until > this.#coveredUntil) this.#sums.cover(this.#coveredUntil, until)
    this.#coveredUntil = Math.max(this.#coveredUntil, until)
  }

  #addDatagram(datagram: string): void {
    for (const line of datagram.split('\n')) this.#addLine(line)
  }

  #addLine(text: string): void {
    const line = this.#format.parse(text)
    if (line === undefined) return
    this.#lineTime = Math.max(this.#lineTime, line.time)
    // The transfer before the first line after a gap is unknown.
    if (this.#isBehindGap) {
      this.#coveredUntil = Math.max(this.#coveredUntil, line.time)
      this.#isBehindGap = false
    }
    this.#sums.add(line)
  }
}

function stateFile(dir: string): string {
  return join(dir, 'transfer.json')
}

/** Reads the saved sums. Damaged ones are discarded with an error in the log. */
async function readSaved({ dir, log }: TransferOptions): Promise<Saved | null> {
  const text = await readManagedFile(stateFile(dir))
  if (text === undefined) return null
  try {
    const saved = JSON.parse(text.toString()) as Saved
    if (saved.version === 1 && Array.isArray(saved.follower.positions) && Array.isArray(saved.halfHours)) return saved
  } catch {
    // Logged below, as for a file of another version.
  }
  log.error('could not read the saved totals of the access log: counting starts from zero', { file: stateFile(dir) })
  return null
}
