import {
  closeCodes,
  decodeHistoryFrame,
  frameHeaderBytes,
  historyFrameKind,
  metricFrameKind,
} from '@roost/api-types/agent'
import type { Log } from '../lifecycle/log.js'
import type { RecordEvent } from './audit-throttle.js'
import type { StreamHandlers } from './handlers.js'
import type { NodeBudgets } from './limits/node-budgets.js'
import { measureCpu } from './limits/loop-share.js'
import { MessageFailures } from './message-failures.js'
import { createMessageHandler } from './message-table.js'
import { largeMessageBytes, LargeMessages } from './received/large-messages.js'
import { otherNode, type RawMessage } from './received/raw-message.js'
import { readMessage, type ReadMessage } from './received/read-message.js'
import { RepeatedCatalogues } from './received/repeated-catalogues.js'
import type { Session } from './session.js'

/** Maximum number of messages of one agent in progress; above it, its connection is not read. */
const maxPending = 32

/** When too many large messages wait, an agent connects again after this time. */
const largeRetryMs = 10_000

export interface MessagesOptions {
  readonly handlers: StreamHandlers
  readonly recordEvent: RecordEvent
  readonly budgets: NodeBudgets
  readonly maxLargeBytes: number
  readonly log: Log
}

export interface MessageCounts {
  frames: number
  messages: number
  refused: number
}

/** Receives the messages of agents. */
export class Messages {
  readonly counts: MessageCounts = { frames: 0, messages: 0, refused: 0 }
  readonly #failures: MessageFailures
  readonly #options: MessagesOptions
  readonly #handle: ReturnType<typeof createMessageHandler>
  readonly #catalogues = new RepeatedCatalogues()
  readonly #large: LargeMessages

  constructor(options: MessagesOptions) {
    this.#options = options
    this.#large = new LargeMessages(options.maxLargeBytes)
    this.#handle = createMessageHandler(options.handlers, options.budgets)
    this.#failures = new MessageFailures(this.counts, options.log)
  }

  /** Never throws: no message of one agent affects other sessions. The promise of a large message never rejects. */
  receive(session: Session, data: Buffer, isBinary: boolean): Promise<void> | undefined {
    if (isBinary) return this.#charged(session, data.length, 'frame', () => this.#frame(session, data))
    const known = this.#catalogues.find(data)
    if (known === undefined && data.length > largeMessageBytes) return this.#receiveLarge(session, data)
    return this.#charged(session, data.length, 'message', () => this.#message(session, known ?? this.#read(data)))
  }

  close(): Promise<void> {
    return this.#large.close()
  }

  async #receiveLarge(session: Session, data: Buffer): Promise<void> {
    const reading = this.#large.read(data)
    if (reading === undefined)
      return session.close(closeCodes.tryAgainLater, 'Too many large messages at once.', largeRetryMs)
    try {
      const { read, cpuMs } = await reading
      if (read !== undefined) this.#catalogues.keep(data, read)
      this.#charged(session, data.length, 'message', () => session.isOpen && this.#message(session, read), cpuMs)
    } catch (error) {
      this.#failures.crashed(session, 'message', error)
    }
  }

  #charged(session: Session, bytes: number, kind: 'frame' | 'message', handle: () => void, otherCpuMs = 0): undefined {
    const cpuMs = measureCpu(kind === 'frame')
    try {
      handle()
    } catch (error) {
      this.#failures.crashed(session, kind, error)
    } finally {
      session.pauseFor(this.#options.budgets.charge(session, bytes, cpuMs(), otherCpuMs))
    }
  }

  #message(session: Session, read: ReadMessage | undefined): void {
    this.counts.messages += 1
    if (read === undefined)
      return session.close(
        closeCodes.policyViolation,
        'A message was not a JSON object with a type, or was nested too deep.',
      )
    const { raw } = read
    if (raw.type === 'ping' || raw.type === 'pong') return this.#heartbeat(session, read)
    // `unsupported` and `refused` are never answered: two sides that do not support each other's messages would loop.
    if (raw.type === 'unsupported' || raw.type === 'refused') return
    const obstacle = this.#obstacle(session, raw) ?? this.#excess(session, raw)
    if (obstacle !== undefined) return this.#failures.refuse(session, raw, obstacle)
    this.#dispatch(session, read)
  }

  /** Measures the agent's clock, and answers a ping. */
  #heartbeat(session: Session, read: ReadMessage): void {
    const checked = read.check()
    const message = checked && 'message' in checked ? checked.message : undefined
    const isHeartbeat = message?.type === 'ping' || message?.type === 'pong'
    if (isHeartbeat && message.clock !== undefined) session.agent.clock.measure(message.clock)
    if (read.raw.type === 'ping') session.send({ type: 'pong', id: isHeartbeat ? message.id : 0 })
  }

  /** Charges a message that is expensive. Returns why it must be refused, or undefined. */
  #excess(session: Session, { type }: RawMessage): string | undefined {
    const { budgets } = this.#options
    if (type === 'catalogue' || type === 'history_columns') budgets.addCatalogue(session)
    if (type !== 'inventory' || budgets.acceptInventory(session)) return undefined
    return 'Too many messages of type inventory: at most one in 10 s is accepted on average.'
  }

  #read(data: Buffer): ReadMessage | undefined {
    const read = readMessage(data)
    if (read !== undefined) this.#catalogues.keep(data, read)
    return read
  }

  #dispatch(session: Session, read: ReadMessage): void {
    const { raw } = read
    if (raw.type === 'hello') return this.#failures.refuse(session, raw, 'This session has already sent hello.')
    const checked = read.check()
    if (checked === undefined) return session.send({ type: 'unsupported', of: raw.type.slice(0, 64) })
    if ('issue' in checked) return this.#failures.refuse(session, raw, checked.issue)
    const { message } = checked
    void this.#run(session, raw, async () => {
      await this.#handle(session, message)
      if ('sequence' in message) session.send({ type: 'ack', sequence: message.sequence })
    })
  }

  /** Returns why the message must be refused, or undefined. */
  #obstacle(session: Session, raw: RawMessage): string | undefined {
    const { nodeId, uuid, address } = session.agent
    const other = otherNode(raw, nodeId, uuid)
    if (other === undefined)
      return session.parked === null ? undefined : `Messages of this machine are not accepted: ${session.parked}`
    const details = { message: raw.type.slice(0, 64), named: other }
    this.#options.recordEvent({ action: 'refuse', nodeId, actor: `agent ${uuid}`, address, details })
    return `This session belongs to node ${uuid}. It cannot send messages for another node.`
  }

  /** Runs a handler. It is asynchronous, so that errors before the first await of the handler are rejections, too. */
  async #run(session: Session, raw: RawMessage, work: () => Promise<void>): Promise<void> {
    session.pending += 1
    session.throttle(maxPending)
    try {
      await work()
    } catch (error) {
      this.#failures.failed(session, raw, error)
    } finally {
      session.pending -= 1
      session.throttle(maxPending)
    }
  }

  #frame(session: Session, bytes: Buffer): void {
    this.counts.frames += 1
    if (session.parked !== null) return
    const kind = bytes[0]
    if (kind === historyFrameKind && this.#options.handlers.keepsHistory()) return this.#history(session, bytes)
    if (kind !== undefined && kind !== metricFrameKind)
      return session.send({ type: 'unsupported', of: `frame ${kind}` })
    if (bytes.length < frameHeaderBytes)
      return session.close(closeCodes.policyViolation, 'A frame is shorter than its header.')
    try {
      const { nodeId, clock } = session.agent
      clock.convertFrameTime(bytes)
      this.#options.handlers.frame(nodeId, bytes)
    } catch (error) {
      this.#failures.failed(session, { type: 'frame' }, error)
    }
  }

  /** Stores a chunk of history, and acknowledges it then. The bytes are a view of what the socket reads: they are copied. */
  #history(session: Session, bytes: Buffer): void {
    const { nodeId, clock } = session.agent
    const { sequence, catalogue, chunk } = decodeHistoryFrame(Buffer.from(bytes))
    void this.#run(session, { type: 'history', sequence }, async () => {
      await this.#options.handlers.history(nodeId, { catalogue, chunk }, clock.skew)
      session.send({ type: 'ack', sequence })
    })
  }
}
