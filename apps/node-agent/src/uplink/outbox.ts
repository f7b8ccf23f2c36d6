import { type AgentMessage, type DeviceUsageMessage, encodeMetricFrame, type LogMessage } from '@roost/api-types/agent'
import type { Clock, Log } from '@roost/runtime'
import type { Reading } from '../collectors/engine/reading.js'
import type { Reporter } from '../deployments/reporter.js'
import type { DeviceUsage } from '../inventory/inventories.js'
import { type Catalogue, catalogueOf } from './catalogue.js'
import type { MessageSpool } from './message-spool.js'
import { SpoolSender } from './spool-sender.js'

/** Where bytes go while there is a session. */
export interface Link {
  /** Bytes that wait in this process. */
  readonly bufferedBytes: number
  send(data: string | Uint8Array): void
}

/** Where history goes while there is a session that wants it. */
export interface HistoryLink {
  /** Whether the session has had the catalogue of this id. */
  knows(catalogue: number): boolean
  /** Returns false when the socket is full. */
  send(data: string | Uint8Array): boolean
}

/** Records every reading, and sends what was recorded until it is acknowledged. */
export interface HistoryOutlet {
  record(catalogue: Catalogue, reading: Reading): void
  open(link: HistoryLink): void
  close(): void
  acknowledged(sequence: number): Promise<void>
  /** Returns false when the number is not one of its messages. */
  refused(sequence: number, permanent: boolean): boolean
}

/**
 * `offline`: frames go nowhere. `parked`: the control plane takes nothing from us. `live`: all goes out at once.
 * `congested`: the socket is full; of frames and usage messages only the newest is kept until it has room.
 */
export type OutboxPhase = 'offline' | 'parked' | 'live' | 'congested'

export interface OutboxOptions {
  readonly clock: Clock
  readonly log: Log
  readonly messages: MessageSpool
  readonly history: HistoryOutlet
}

/** The server ends a session that sends a message larger than this. */
const maxMessageBytes = 1 << 20
const congestedBytes = 256 << 10
const congestionCheckMs = 500

/** Sends everything of the agent. Keeps at most one frame and one usage message besides the spool. */
export class Outbox implements Reporter {
  readonly #options: OutboxOptions
  readonly #spoolSender: SpoolSender
  #phase: OutboxPhase = 'offline'
  #link: Link | null = null
  #catalogue: Catalogue | null = null
  #catalogueSent = false
  #sequence: bigint
  /** The newest of each kind that has not been sent yet. */
  #frame: Uint8Array | null = null
  #usage: string | null = null
  #dropped = 0
  #cancelCheck: () => void = () => {}

  constructor(options: OutboxOptions) {
    this.#options = options
    this.#spoolSender = new SpoolSender({ ...options, maxMessageBytes })
    // Above those of an earlier process, without a write to the disk for each frame.
    this.#sequence = BigInt(Math.floor(options.clock.now()))
  }

  get phase(): OutboxPhase {
    return this.#phase
  }

  /** Starts to send in a session: the newest data first, then the spool. */
  open(link: Link): void {
    this.#link = link
    this.#catalogueSent = false
    this.#phase = 'live'
    this.#flush()
    this.#spoolSender.open({ send: (text) => this.#sendRoomy(link, text) })
  }

  /** Sends history, after the settings of the session have said how it is recorded. */
  sendHistory(): void {
    const link = this.#link
    if (link === null) return
    this.#options.history.open({
      knows: (catalogue) => this.#catalogueSent && catalogue === this.#catalogue?.id,
      send: (data) => this.#sendRoomy(link, data),
    })
  }

  /** Stops sending: the session is open, but not for data. */
  park(): void {
    this.close()
    this.#phase = 'parked'
  }

  close(): void {
    this.#link = null
    this.#phase = 'offline'
    this.#cancelCheck()
    this.#spoolSender.close()
    this.#options.history.close()
  }

  report(reading: Reading): void {
    const { time, metrics, values } = reading
    const catalogue = this.#catalogue?.metrics === metrics ? this.#catalogue : this.#renew(metrics)
    this.#sequence += 1n
    const frame = encodeMetricFrame({ catalogue: catalogue.id, sequence: this.#sequence, time, values })
    if (this.#frame !== null && this.#link !== null) this.#dropped += 1
    this.#frame = frame
    this.#flush()
    if (catalogue.fits) this.#options.history.record(catalogue, reading)
  }

  usage(time: number, devices: DeviceUsage): void {
    const message: DeviceUsageMessage = { type: 'device_usage', time, devices }
    this.#usage = JSON.stringify(message)
    this.#flush()
  }

  /** Sends a log line; it is lost when there is no connection. */
  log(level: LogMessage['level'], message: string): void {
    const text: LogMessage = { type: 'log', level, message: message.slice(0, 2000) }
    this.send(text)
  }

  /** Sends a message now; it is lost when there is no connection. */
  send(message: AgentMessage): void {
    if (this.#phase === 'live') this.#link?.send(JSON.stringify(message))
  }

  /** Sends a message until it is acknowledged, also over restarts. It supersedes those of its kind that still wait. */
  deliver(kind: string, build: (sequence: number) => object): Promise<void> {
    return this.#spool(kind, build, true)
  }

  /** Sends a message until it is acknowledged, after those of its kind that still wait. */
  deliverEach(kind: string, build: (sequence: number) => object): Promise<void> {
    return this.#spool(kind, build, false)
  }

  /** Returns true while a message of this kind waits to be acknowledged. */
  isWaiting(kind: string): boolean {
    return this.countWaiting(kind) > 0
  }

  countWaiting(kind: string): number {
    return this.#options.messages.pending().filter((message) => message.kind === kind).length
  }

  async acknowledged(sequence: number): Promise<void> {
    const { messages, history } = this.#options
    await (messages.isHistory(sequence) ? history : this.#spoolSender).acknowledged(sequence)
  }

  refused(sequence: number, permanent = false): void {
    const { messages, history } = this.#options
    if (messages.isHistory(sequence)) history.refused(sequence, permanent)
    else this.#spoolSender.refused(sequence)
  }

  async #spool(kind: string, build: (sequence: number) => object, supersede: boolean): Promise<void> {
    await this.#options.messages.add(kind, build, supersede)
    this.#spoolSender.pump()
  }

  #renew(metrics: Reading['metrics']): Catalogue {
    const catalogue = catalogueOf(metrics)
    if (catalogue.id !== this.#catalogue?.id) {
      this.#catalogueSent = false
      this.#frame = null
      if (!catalogue.fits)
        this.#options.log.error('too many metrics for one catalogue message: no metrics are sent', {
          metrics: metrics.length,
        })
    }
    this.#catalogue = catalogue
    return catalogue
  }

  #flush(): void {
    const link = this.#link
    if (link === null) return
    this.#cancelCheck()
    if (link.bufferedBytes > congestedBytes) {
      this.#phase = 'congested'
      this.#cancelCheck = this.#options.clock.after(congestionCheckMs, () => this.#flush())
      return
    }
    if (this.#phase === 'congested') this.#recovered()
    if (this.#frame !== null && this.#sendCatalogue(link)) link.send(this.#frame)
    this.#frame = null
    if (this.#usage !== null) link.send(this.#usage)
    this.#usage = null
  }

  #recovered(): void {
    this.#phase = 'live'
    this.#options.log.warn('the connection was too slow for a while', { droppedFrames: this.#dropped })
    this.#dropped = 0
    this.#spoolSender.pump()
  }

  /** Sends the catalogue. Returns false when the control plane cannot read the frame. */
  #sendCatalogue(link: Link): boolean {
    if (this.#catalogueSent || this.#catalogue?.fits !== true) return this.#catalogueSent
    link.send(this.#catalogue.text)
    this.#catalogueSent = true
    return true
  }

  /** Sends where there is room; the answer says whether there was. */
  #sendRoomy(link: Link, data: string | Uint8Array): boolean {
    if (link.bufferedBytes > congestedBytes) return false
    link.send(data)
    return true
  }
}
