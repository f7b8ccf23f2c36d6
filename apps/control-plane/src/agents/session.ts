import { closeCodes, historyCapability } from '@roost/api-types/agent'
import type { CloseReason, ServerMessage, Settings } from '@roost/api-types/agent'
import type { RawData, WebSocket } from 'ws'
import { TokenBucket } from '../services/token-bucket.js'
import type { AgentClock } from './received/agent-time.js'

/** An agent whose hello was verified. */
export interface AuthenticatedAgent {
  readonly nodeId: number
  readonly uuid: string
  readonly hostname: string
  readonly machineId: string
  readonly bootId: string
  readonly agentVersion: string
  readonly protocol: number
  /** Fields of shares that the agent knows. */
  readonly shareFields: ReadonlySet<string>
  /** Fields of storage logins that the agent knows. */
  readonly storageFields: ReadonlySet<string>
  readonly capabilities: ReadonlySet<string>
  readonly address: string
  readonly clock: AgentClock
}

/** Handles the events of a session. `receive` is on the hot path. */
export interface SessionListener {
  /** Later messages of the session wait for the promise of one that is read on another thread. It never rejects. */
  receive(session: Session, data: Buffer, isBinary: boolean): Promise<void> | undefined
  /** Milliseconds until a message may be handled, because messages of agents have used up their share of the event loop. */
  wait(session: Session): number
  /** Milliseconds for which a new session is not read, for what its node has used up before. */
  owed(session: Session): number
  /** The session is closed because it broke the rules. */
  violated(session: Session): void
  ended(session: Session, code: number): void
  monotonic(): number
}

/** The time in which the reason of a violation reaches the peer. */
const unreadMs = 1_000

/** Unsent bytes after which a peer that does not read is disconnected. */
const maxUnsentBytes = 4 << 20

/** The connection of one agent, from its welcome to its end. */
export class Session {
  readonly agent: AuthenticatedAgent
  /** Monotonic time of the last message. */
  lastHeard: number
  /** The heartbeat interval that the agent got last, and the longest that it may still use. */
  intervalMs: number
  patienceMs: number
  /** The reason why this session is not its node's own: another machine has the identity. Null for the own session. */
  parked: string | null = null
  /** Messages whose handlers have not ended. */
  pending = 0
  readonly #socket: WebSocket
  readonly #listener: SessionListener
  readonly #bucket: TokenBucket
  #pings = 0
  #pingedAt = 0
  #open = true
  #probes: (() => void)[] = []
  #isBusy = false
  #isReading = false
  #pause: NodeJS.Timeout | undefined
  /** What had already been read when the session was paused: at most a few packets. */
  readonly #inbox: { readonly data: Buffer; readonly isBinary: boolean }[] = []
  #isDraining = false

  constructor(
    socket: WebSocket,
    agent: AuthenticatedAgent,
    listener: SessionListener,
    intervalMs: number,
    rate: { readonly messagesPerSecond: number; readonly messageBurst: number },
  ) {
    this.#socket = socket
    this.agent = agent
    this.#listener = listener
    this.intervalMs = intervalMs
    this.patienceMs = intervalMs
    this.lastHeard = listener.monotonic()
    this.#bucket = new TokenBucket(rate.messagesPerSecond, rate.messageBurst, this.lastHeard)
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary))
    // The library answers control frames; they count as messages to limit floods of them.
    socket.on('ping', () => this.#count())
    socket.on('pong', () => this.#count())
    socket.once('close', (code) => {
      this.#open = false
      listener.ended(this, code)
    })
    this.#open = socket.readyState === socket.OPEN
  }

  get isOpen(): boolean {
    return this.#open
  }

  send(message: ServerMessage): void {
    if (!this.#open) return
    if (this.#socket.bufferedAmount > maxUnsentBytes) return this.terminate()
    this.#socket.send(JSON.stringify(message))
  }

  /** Sends new intervals. Until its next message the agent may still use the old ones. */
  pace(settings: Settings): void {
    this.patienceMs = Math.max(this.intervalMs, settings.heartbeat_interval_ms)
    this.intervalMs = settings.heartbeat_interval_ms
    const { history, ...others } = settings
    this.send(history !== undefined && this.agent.capabilities.has(historyCapability) ? settings : others)
  }

  /** Sends a ping, at most once per interval. */
  ping(now: number): void {
    if (now - this.#pingedAt < this.intervalMs) return
    this.#pingedAt = now
    this.send({ type: 'ping', id: (this.#pings += 1) })
  }

  /** Returns true if the peer sends anything within the time. */
  probe(withinMs: number): Promise<boolean> {
    if (!this.#open) return Promise.resolve(false)
    if (this.#socket.isPaused) return Promise.resolve(true)
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), withinMs)
      this.#probes.push(() => {
        clearTimeout(timer)
        resolve(true)
      })
      this.send({ type: 'ping', id: (this.#pings += 1) })
    })
  }

  /** Stops reading from the socket while too many messages are in progress. */
  throttle(limit: number): void {
    this.#isBusy = this.pending > limit
    this.#readOrPause()
  }

  /** Stops reading from the socket for a time: the node has used up a budget. */
  pauseFor(ms: number): void {
    if (ms <= 0 || !this.#open) return
    this.#pauseUntilLater(ms)
    this.#readOrPause()
  }

  #pauseUntilLater(ms: number): void {
    clearTimeout(this.#pause)
    this.#pause = setTimeout(() => {
      this.#pause = undefined
      this.#readOrPause()
    }, ms).unref()
  }

  get #isPaused(): boolean {
    return this.#open && (this.#isBusy || this.#isReading || this.#pause !== undefined)
  }

  #readOrPause(): void {
    this.#drain()
    if (this.#isPaused && !this.#socket.isPaused) this.#socket.pause()
    else if (!this.#isPaused && this.#socket.isPaused) this.#socket.resume()
  }

  /** Handles messages in their order until the session is paused. */
  #drain(): void {
    if (this.#isDraining) return
    this.#isDraining = true
    while (this.#open && !this.#isPaused) {
      const wait = this.#inbox.length === 0 ? 0 : this.#listener.wait(this)
      if (wait > 0) this.#pauseUntilLater(wait)
      const next = wait > 0 ? undefined : this.#inbox.shift()
      if (next === undefined) break
      const reading = this.#listener.receive(this, next.data, next.isBinary)
      if (reading !== undefined) void this.#waitFor(reading)
    }
    this.#isDraining = false
  }

  async #waitFor(reading: Promise<void>): Promise<void> {
    this.#isReading = true
    await reading
    this.#isReading = false
    // A node is not silent while we do not read what it sends.
    this.lastHeard = this.#listener.monotonic()
    this.#readOrPause()
  }

  close(code: number, message: string, retryAfterMs?: number): void {
    if (!this.#open) return
    this.#open = false
    if (code === closeCodes.policyViolation) this.#listener.violated(this)
    closeSocket(this.#socket, code, message, retryAfterMs)
  }

  /** Closes the session of a node that was removed, or has another key now. */
  revoke(): void {
    this.close(closeCodes.revoked, 'This node was removed, or replaced by another machine.')
  }

  /** Begins to read messages, later if the node has used up a budget. */
  begin(): void {
    this.pauseFor(this.#listener.owed(this))
    this.#readOrPause()
  }

  terminate(): void {
    this.#open = false
    this.#socket.terminate()
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (!this.#count()) return
    this.lastHeard = this.#listener.monotonic()
    this.patienceMs = this.intervalMs
    if (this.#probes.length > 0) for (const heard of this.#probes.splice(0)) heard()
    this.#inbox.push({ data: data as Buffer, isBinary })
    this.#readOrPause()
  }

  #count(): boolean {
    if (!this.#open) return false
    if (this.#bucket.accept(this.#listener.monotonic())) return true
    this.close(closeCodes.policyViolation, 'Too many messages: at most 50 a second.')
    return false
  }
}

/** Closes a socket with the reason as JSON. */
export function closeSocket(socket: WebSocket, code: number, message: string, retryAfterMs?: number): void {
  if (code === closeCodes.policyViolation) {
    // A peer that breaks the rules may have sent megabytes more: its answer is not read.
    socket.pause()
    setTimeout(() => socket.terminate(), unreadMs).unref()
  } else {
    // The answer must be read, or the socket stays open until its timeout.
    socket.resume()
  }
  socket.close(code, closeReason(message, retryAfterMs))
}

/** Returns the reason of a close frame, shortened to the 123 bytes that it can have. */
function closeReason(message: string, retryAfterMs: number | undefined): string {
  const more = retryAfterMs === undefined ? {} : { retry_after_ms: Math.round(retryAfterMs) }
  for (let length = message.length; ; length -= 1) {
    const text = JSON.stringify({ message: message.slice(0, length), ...more } satisfies CloseReason)
    if (Buffer.byteLength(text) <= 123) return text
  }
}
