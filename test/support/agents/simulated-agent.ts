import { sign } from 'node:crypto'
import {
  closeCodes,
  encodeMetricFrame,
  helloText,
  knownShareFields,
  knownStorageFields,
  protocolVersion,
} from '@roost/api-types/agent'
import type {
  AgentMessage,
  Challenge,
  Hello,
  Inventory,
  MetricDefinition,
  ServerMessage,
  Settings,
} from '@roost/api-types/agent'
import { WebSocket } from 'ws'
import type { SimulatedIdentity } from './simulated-identity.js'
import { readEnd } from './stream-end.js'
import type { StreamEnd } from './stream-end.js'
import { Waiters } from './waiters.js'

export interface SimulatedAgentOptions {
  /** Of the control plane, such as `https://127.0.0.1:8443`. */
  readonly url: string
  /** PEM to trust; nothing for plain HTTP. */
  readonly ca?: string
  readonly identity: SimulatedIdentity
  /** Fields of the hello instead of the usual ones. */
  readonly hello?: Partial<Omit<Hello, 'type' | 'signature'>>
  /** Sent after each welcome, numbered; none unless given. */
  readonly inventory?: Inventory
  /** Sent after each welcome; with `report`, frames of as many values follow at the server's report interval. */
  readonly metrics?: readonly MetricDefinition[]
  readonly report?: boolean
  /** Reconnects when the connection ends, as an agent does. */
  readonly reconnect?: boolean
  /** How wrong its clock is. */
  readonly clockAheadSeconds?: number
  /** Sends no heartbeats and answers no pings, like a machine that hangs. */
  readonly silent?: boolean
  readonly onMessage?: (message: ServerMessage) => void
}

type TimerName = 'beat' | 'report' | 'inventory' | 'dial'

/** An agent without a machine. Ten thousand fit in one process: it has one timer for each interval and stores no messages. */
export class SimulatedAgent {
  readonly options: SimulatedAgentOptions
  readonly machineId: string
  readonly bootId: string
  /** `welcomed` counts sessions, `parkedBecause` is of the last one. */
  welcomed = 0
  parkedBecause: string | null = null
  ended: StreamEnd | undefined
  acknowledged = 0
  pongs = 0
  /** Messages and frames that it sent. */
  sent = 0
  heartbeatMs = 15_000
  reportMs = 10_000
  spreadMs = 30_000
  #socket: WebSocket | undefined
  #sequence = 0
  #frames = 0n
  #failures = 0
  #stopped = false
  readonly #timers = new Map<TimerName, NodeJS.Timeout>()
  readonly #waiters = new Waiters()

  constructor(options: SimulatedAgentOptions) {
    this.options = options
    this.machineId = options.hello?.machine_id ?? `machine-${options.identity.uuid}`
    this.bootId = options.hello?.boot_id ?? `boot-${options.identity.uuid}`
  }

  get isConnected(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN && this.ended === undefined && this.welcomed > 0
  }

  /** The connection below, for a test that misuses it. */
  get socket(): WebSocket {
    if (!this.#socket) throw new Error('The agent has not dialed yet.')
    return this.#socket
  }

  dial(): void {
    this.#stopped = false
    this.ended = undefined
    const { url, ca } = this.options
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/agent/v1/stream`, {
      perMessageDeflate: false,
      ...(ca === undefined ? {} : { ca }),
    })
    this.#socket = socket
    socket.on('error', () => {})
    socket.on('message', (data: Buffer) => this.#receive(JSON.parse(data.toString('utf8')) as ServerMessage))
    socket.on('close', (code, reason) => this.#end(socket, code, reason.toString('utf8')))
  }

  /** Ends permanently, by a close frame or without one. */
  stop(how: 'close' | 'terminate' = 'close'): void {
    this.#stopped = true
    this.#cancelTimers()
    if (how === 'close') this.#socket?.close(1000)
    else this.#socket?.terminate()
  }

  send(message: AgentMessage | Readonly<Record<string, unknown>>): void {
    this.#send(JSON.stringify(message))
  }

  /** Sends one frame of its catalogue. `time`: Unix seconds. */
  sendFrame(values: Float64Array, time = this.#now()): void {
    this.#frames += 1n
    this.#send(encodeMetricFrame({ catalogue: 1, sequence: this.#frames, time, values }))
  }

  /** Sends a chunk of history, or any other binary message. */
  sendBytes(bytes: Uint8Array): void {
    this.#send(bytes)
  }

  #send(data: string | Uint8Array): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return
    this.#socket.send(data)
    this.sent += 1
  }

  /** Resolves when the condition is true; it is checked after each message and each end. */
  until(condition: (agent: this) => boolean, withinMs = 60_000): Promise<void> {
    return this.#waiters.until(() => condition(this), withinMs, condition.toString())
  }

  #receive(message: ServerMessage): void {
    this.#process(message)
    this.options.onMessage?.(message)
    this.#waiters.check()
  }

  #process(message: ServerMessage): void {
    if (message.type === 'challenge') this.#sendHello(message)
    else if (message.type === 'welcome') this.#welcome(message.parked)
    else if (message.type === 'settings') this.#keepPace(message)
    else if (message.type === 'ping') this.#answer(message.id)
    else this.#processAnswer(message)
  }

  #processAnswer(message: ServerMessage): void {
    if (message.type === 'pong') this.pongs += 1
    if (message.type === 'ack') this.acknowledged = message.sequence
    if (message.type === 'refused' && message.of === 'inventory') this.#later('inventory', 2_000, () => this.#report())
  }

  #answer(id: number): void {
    if (this.options.silent !== true) this.send({ type: 'pong', id })
  }

  #keepPace(settings: Settings): void {
    this.heartbeatMs = settings.heartbeat_interval_ms
    this.reportMs = settings.report_interval_ms
    this.spreadMs = settings.reconnect_spread_ms
    this.#beatLater()
    if (this.options.report === true) this.#reportLater(Math.random())
  }

  #sendHello({ nonce }: Challenge): void {
    const hello = {
      node_uuid: this.options.identity.uuid,
      protocol: protocolVersion,
      agent_version: '0.1.0-simulated',
      capabilities: ['inventory', 'metrics', 'device_usage'],
      share_fields: [...knownShareFields],
      storage_fields: [...knownStorageFields],
      machine_id: this.machineId,
      boot_id: this.bootId,
      hostname: 'simulated',
      clock: this.#now(),
      ...this.options.hello,
    }
    const signature = sign(null, Buffer.from(helloText(nonce, hello)), this.options.identity.privateKey)
    this.send({ type: 'hello', ...hello, signature: signature.toString('base64') })
  }

  #welcome(parked: string | null): void {
    this.welcomed += 1
    this.parkedBecause = parked
    this.#failures = 0
    if (parked !== null) return
    const { inventory, metrics } = this.options
    if (inventory) {
      this.#sequence += 1
      this.#report()
    }
    if (metrics) this.send({ type: 'catalogue', id: 1, metrics: [...metrics] })
  }

  /** Sends the inventory; again under the same number when it was refused. */
  #report(): void {
    const { inventory } = this.options
    if (inventory) this.send({ type: 'inventory', sequence: this.#sequence, inventory })
  }

  #beatLater(): void {
    if (this.options.silent === true) return
    this.#later('beat', this.heartbeatMs * (0.8 + 0.4 * Math.random()), () => {
      this.send({ type: 'ping', id: 1 })
      this.#beatLater()
    })
  }

  /** `share` of the interval to wait: the first report comes at a moment of its own, or a fleet reports at once. */
  #reportLater(share: number): void {
    this.#later('report', this.reportMs * share, () => {
      const count = this.options.metrics?.length ?? 0
      this.sendFrame(new Float64Array(count).fill(Math.random()))
      this.#reportLater(1)
    })
  }

  #end(socket: WebSocket, code: number, reason: string): void {
    if (socket !== this.#socket) return
    this.ended = readEnd(code, reason)
    this.#cancelTimers()
    this.#waiters.check()
    if (this.options.reconnect !== true || this.#stopped || code === closeCodes.revoked) return
    const backOffMs =
      Math.random() * (this.#failures === 0 ? this.spreadMs : Math.min(60_000, 1000 * 2 ** this.#failures))
    this.#failures += 1
    this.#later('dial', this.ended.retryAfterMs ?? backOffMs, () => this.dial())
  }

  #later(timer: TimerName, delayMs: number, work: () => void): void {
    clearTimeout(this.#timers.get(timer))
    this.#timers.set(timer, setTimeout(work, delayMs))
  }

  #cancelTimers(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }

  #now(): number {
    return Date.now() / 1000 + (this.options.clockAheadSeconds ?? 0)
  }
}
