import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import {
  type Challenge,
  closeCodes,
  helloText,
  historyCapability,
  isTooDeep,
  knownShareFields,
  confirmCapability,
  knownStorageFields,
  maxServerMessageBytes,
  protocolVersion,
  ServerMessage,
} from '@roost/api-types/agent'
import { fp } from '@roost/failpoints'
import { WebSocket } from 'ws'
import type { Clock } from '@roost/runtime'
import type { Identity, MachineIds } from '../machine/identity.js'
import { agentVersion } from '../machine/package.js'
import type { SessionEnd } from './backoff.js'
import { readCloseReason } from './close-reason.js'
import { Heartbeat } from './heartbeat.js'
import { certificatesOf } from './trust.js'

/** All that may come once the hello is on its way; what keeps the connection itself stays in here. */
export type SessionMessage = Exclude<ServerMessage, { type: 'challenge' | 'ping' | 'pong' }>

export interface SessionOptions {
  readonly url: string
  /** PEM of the authorities to trust; none: those that Node trusts. */
  readonly ca: readonly string[]
  readonly identity: Identity
  readonly machine: MachineIds
  readonly clock: Clock
  readonly random: () => number
  readonly heartbeatMs: number
  /** Beside those of every agent of this version. */
  readonly capabilities: readonly string[]
  /** How far this machine's clock is ahead of the control plane's, in seconds. */
  readonly onSkew: (seconds: number) => void
  readonly onMessage: (message: SessionMessage) => void
  /** A type that this version does not know. */
  readonly onUnknown: (type: string) => void
  /** A message could not be processed: the session ends. */
  readonly onFault: (error: unknown) => void
}

/** Dialling, upgrade, challenge and welcome together. */
const greetingMs = 30_000
/** How long an orderly close may take before the socket is thrown away. */
const farewellMs = 2000

const capabilities: readonly string[] = ['inventory', 'metrics', 'device_usage', confirmCapability, historyCapability]

/** One connection to the control plane, from connecting to its end. */
export class Session {
  readonly ended: Promise<SessionEnd>
  readonly #options: SessionOptions
  readonly #socket: WebSocket
  #heartbeat: Heartbeat | null = null
  #welcomedAt: number | null = null
  #cancelGreeting: () => void
  #retryAfterMs: number | null = null
  #failure: string | null = null
  #certificates: readonly string[] = []

  constructor(options: SessionOptions) {
    this.#options = options
    this.#socket = new WebSocket(options.url, {
      perMessageDeflate: false,
      maxPayload: maxServerMessageBytes,
      handshakeTimeout: greetingMs,
      followRedirects: false,
      ...(options.ca.length === 0 ? {} : { ca: [...options.ca] }),
    })
    this.#socket.on('error', (error) => (this.#failure ??= error.message))
    this.ended = this.#watch()
    this.#cancelGreeting = options.clock.after(greetingMs, () =>
      this.#giveUp('The control plane did not answer in time.'),
    )
  }

  /** Bytes that wait in this process. */
  get bufferedBytes(): number {
    return this.#socket.bufferedAmount
  }

  /** Returns PEM of the certificates that the server showed, its own first; none without TLS. */
  get certificates(): readonly string[] {
    return this.#certificates
  }

  send(data: string | Uint8Array): void {
    // Nothing is lost here: results wait for their acknowledgement, and the next frame has the metrics.
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(data, () => {})
  }

  /** Ends it in an orderly way, and after a deadline anyhow. */
  async close(code: number, message: string): Promise<void> {
    const cancel = this.#options.clock.after(farewellMs, () => this.#socket.terminate())
    this.#socket.close(code, JSON.stringify({ message }))
    await this.ended
    cancel()
  }

  /** Ends the session after a fault of this program. */
  fail(error: unknown): void {
    this.#options.onFault(error)
    this.#failure ??= 'A message from the control plane could not be processed.'
    this.#socket.close(closeCodes.internalError, JSON.stringify({ message: 'The agent failed to process a message.' }))
  }

  #watch(): Promise<SessionEnd> {
    const socket = this.#socket
    socket.on('upgrade', (response: IncomingMessage) => {
      if (response.socket instanceof TLSSocket) this.#certificates = certificatesOf(response.socket)
    })
    socket.on('unexpected-response', (_request, response: IncomingMessage) => this.#notUpgraded(response))
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (!isBinary) this.#receiveSafely(data.toString())
    })
    return new Promise((resolve) => {
      socket.on('close', (code: number, reason: Buffer) => resolve(this.#end(code, reason.toString())))
    })
  }

  #end(code: number, text: string): SessionEnd {
    this.#cancelGreeting()
    this.#heartbeat?.stop()
    const { message, retryAfterMs } = readCloseReason(code, text)
    return {
      code: code === 1006 ? null : code,
      message: code === 1006 ? (this.#failure ?? message) : message,
      retryAfterMs: this.#retryAfterMs ?? retryAfterMs,
      stableMs: this.#welcomedAt === null ? 0 : this.#options.clock.monotonic() - this.#welcomedAt,
    }
  }

  #giveUp(message: string): void {
    this.#failure = message
    this.#socket.terminate()
  }

  #notUpgraded(response: IncomingMessage): void {
    const seconds = Number(response.headers['retry-after'])
    if (seconds >= 0) this.#retryAfterMs = seconds * 1000
    response.destroy()
    this.#giveUp(`The control plane answered with status ${response.statusCode} instead of opening the stream.`)
  }

  /** Processes a message. An error ends this session at most. */
  #receiveSafely(text: string): void {
    try {
      this.#receive(text)
    } catch (error) {
      this.fail(error)
    }
  }

  #receive(text: string): void {
    const json = jsonOf(text)
    const parsed = ServerMessage.safeParse(json)
    if (!parsed.success) return this.#options.onUnknown(typeOf(json))
    const message = parsed.data
    if (message.type === 'challenge') this.#hello(message)
    else if (message.type === 'ping') this.#sendHeartbeat('pong', message.id)
    else if (message.type === 'pong') this.#heartbeat?.answered(message.id)
    else this.#deliver(message)
  }

  #deliver(message: SessionMessage): void {
    if (message.type === 'welcome') this.#welcome()
    if (message.type === 'settings') this.#heartbeat?.setInterval(message.heartbeat_interval_ms)
    this.#options.onMessage(message)
  }

  #hello(challenge: Challenge): void {
    const { identity, machine, clock, capabilities: more } = this.#options
    this.#options.onSkew(clock.now() / 1000 - challenge.clock)
    const hello = {
      node_uuid: identity.enrollment.node_uuid,
      protocol: protocolVersion,
      agent_version: agentVersion,
      capabilities: [...capabilities, ...more],
      share_fields: [...knownShareFields],
      storage_fields: [...knownStorageFields],
      machine_id: machine.machineId,
      boot_id: machine.bootId,
      hostname: machine.hostname,
      clock: clock.now() / 1000,
    }
    const signature = identity.sign(helloText(challenge.nonce, hello))
    fp('agent.hello.beforeSend')
    this.send(JSON.stringify({ type: 'hello', ...hello, signature }))
  }

  /** The clock goes along, because both sides' clocks may have been set since the hello. */
  #sendHeartbeat(type: 'ping' | 'pong', id: number): void {
    this.send(JSON.stringify({ type, id, clock: this.#options.clock.now() / 1000 }))
  }

  #welcome(): void {
    if (this.#welcomedAt !== null) return
    const { clock, random, heartbeatMs } = this.#options
    this.#cancelGreeting()
    this.#welcomedAt = clock.monotonic()
    const heartbeat = {
      clock,
      random,
      ping: (id: number) => this.#sendHeartbeat('ping', id),
      dead: () => this.#giveUp('The control plane no longer answers.'),
    }
    this.#heartbeat = new Heartbeat(heartbeat, heartbeatMs)
  }
}

/** Returns the type of a message that cannot be read, for the log. */
function typeOf(json: unknown): string {
  const type = typeof json === 'object' && json !== null ? (json as { readonly type?: unknown }).type : undefined
  return typeof type === 'string' ? type.slice(0, 64) : 'none'
}

function jsonOf(text: string): unknown {
  try {
    return isTooDeep(text) ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
