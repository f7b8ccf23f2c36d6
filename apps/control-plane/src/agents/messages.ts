import {
  AgentPing,
  AgentPong,
  AnswerMessage,
  AppliedMessage,
  CatalogueMessage,
  closeCodes,
  DeviceUsageMessage,
  DriftMessage,
  decodeHistoryFrame,
  frameHeaderBytes,
  HistoryColumnsMessage,
  historyCapability,
  historyFrameKind,
  InventoryMessage,
  LogMessage,
  metricFrameKind,
  MountRestoredMessage,
  PlanMessage,
  ProgressMessage,
  UsageMessage,
} from '@roost/api-types/agent'
import type { Log } from '../lifecycle/log.js'
import { safeParse } from 'zod/mini'
import type { ZodMiniType } from 'zod/mini'
import { concurrencyLimit, KeyedQueue } from '@roost/runtime'
import type { RecordEvent } from './audit-throttle.js'
import type { StreamHandlers } from './handlers.js'
import type { NodeBudgets } from './limits/node-budgets.js'
import { measureCpu } from './limits/loop-share.js'
import { MessageFailures } from './message-failures.js'
import { otherNode, parseMessage, type RawMessage } from './received/raw-message.js'
import { RepeatedCatalogues } from './received/repeated-catalogues.js'
import type { Session } from './session.js'

/** Maximum number of messages of one agent in progress; above it, its connection is not read. */
const maxPending = 32

/** After a restart all agents send inventories, which must not use up the database connections of the API and of admissions. */
const inventoriesAtOnce = 2

export interface MessagesOptions {
  readonly handlers: StreamHandlers
  readonly recordEvent: RecordEvent
  readonly budgets: NodeBudgets
  readonly log: Log
}

export interface MessageCounts {
  frames: number
  messages: number
  refused: number
}

/** Dispatches the messages of agents. Each belongs to the node of its session, even if it names another. */
export class Messages {
  readonly counts: MessageCounts = { frames: 0, messages: 0, refused: 0 }
  readonly #failures: MessageFailures
  readonly #options: MessagesOptions
  readonly #inventories = concurrencyLimit(inventoriesAtOnce)
  /** One inventory of a node at a time: a node must not keep the others waiting. */
  readonly #inventoriesOf = new KeyedQueue<number>()
  readonly #catalogues = new RepeatedCatalogues()

  constructor(options: MessagesOptions) {
    this.#options = options
    this.#failures = new MessageFailures(this.counts, options.log)
  }

  /** Never throws: no message of one agent affects other sessions. */
  receive(session: Session, data: Buffer, isBinary: boolean): void {
    const cpuMs = measureCpu(isBinary)
    try {
      if (isBinary) this.#frame(session, data)
      else this.#message(session, data)
    } catch (error) {
      this.#failures.crashed(session, isBinary ? 'frame' : 'message', error)
    } finally {
      session.pauseFor(this.#options.budgets.charge(session, data.length, cpuMs()))
    }
  }

  #message(session: Session, data: Buffer): void {
    this.counts.messages += 1
    const raw = this.#catalogues.find(data) ?? this.#read(data)
    if (raw === undefined)
      return session.close(
        closeCodes.policyViolation,
        'A message was not a JSON object with a type, or was nested too deep.',
      )
    if (raw.type === 'ping' || raw.type === 'pong') return this.#heartbeat(session, raw)
    // `unsupported` and `refused` are never answered: two sides that do not support each other's messages would loop.
    if (raw.type === 'unsupported' || raw.type === 'refused') return
    const obstacle = this.#obstacle(session, raw) ?? this.#excess(session, raw)
    if (obstacle !== undefined) return this.#failures.refuse(session, raw, obstacle)
    this.#process(session, raw)
  }

  /** Measures the agent's clock, and answers a ping. */
  #heartbeat(session: Session, raw: RawMessage): void {
    const { data: message } = safeParse(raw.type === 'ping' ? AgentPing : AgentPong, raw)
    if (message?.clock !== undefined) session.agent.clock.measure(message.clock)
    if (raw.type === 'ping') session.send({ type: 'pong', id: message?.id ?? 0 })
  }

  /** Charges a message that is expensive. Returns why it must be refused, or undefined. */
  #excess(session: Session, { type }: RawMessage): string | undefined {
    const { budgets } = this.#options
    if (type === 'catalogue' || type === 'history_columns') budgets.addCatalogue(session)
    if (type !== 'inventory' || budgets.acceptInventory(session)) return undefined
    return 'Too many messages of type inventory: at most one in 10 s is accepted on average.'
  }

  #read(data: Buffer): RawMessage | undefined {
    const raw = parseMessage(data)
    if (raw !== undefined) this.#catalogues.keep(data, raw)
    return raw
  }

  #process(session: Session, raw: RawMessage): void {
    const { nodeId, clock } = session.agent
    const { handlers } = this.#options
    switch (raw.type) {
      case 'inventory':
        return this.#handle(session, raw, InventoryMessage, async (message) => {
          this.#options.budgets.chargeHandler(session)
          await this.#inventoriesOf.run(nodeId, () => this.#inventories(() => handlers.inventory(nodeId, message)))
          session.send({ type: 'ack', sequence: message.sequence })
        })
      case 'catalogue':
        return this.#handle(session, raw, CatalogueMessage, async (message) => {
          this.#options.budgets.chargeHandler(session)
          // Both begin at once: a chunk may follow the catalogue, like a frame.
          const keepsColumns = session.agent.capabilities.has(historyCapability)
          const columns = keepsColumns ? handlers.historyColumns(nodeId, message) : Promise.resolve()
          await Promise.all([handlers.catalogue(nodeId, message), columns])
        })
      case 'history_columns':
        return this.#handle(session, raw, HistoryColumnsMessage, (message) => handlers.historyColumns(nodeId, message))
      case 'device_usage':
        return this.#handle(session, raw, DeviceUsageMessage, async (message) =>
          handlers.deviceUsage(nodeId, { ...message, time: clock.readingTime(message.time) }),
        )
      case 'usage':
        return this.#handle(session, raw, UsageMessage, async (message) => {
          await handlers.usage(nodeId, message)
          session.send({ type: 'ack', sequence: message.sequence })
        })
      case 'mount_restored':
        return this.#handle(session, raw, MountRestoredMessage, async (message) => {
          await handlers.mountRestored(nodeId, { ...message, time: clock.pastTime(message.time) })
          session.send({ type: 'ack', sequence: message.sequence })
        })
      case 'log':
        return this.#handle(session, raw, LogMessage, async (message) => handlers.log(nodeId, message))
      case 'hello':
        return this.#failures.refuse(session, raw, 'This session has already sent hello.')
      default:
        return this.#receiveDeployment(session, raw)
    }
  }

  /** Processes messages about deployments. */
  #receiveDeployment(session: Session, raw: RawMessage): void {
    const { nodeId } = session.agent
    const { handlers } = this.#options
    switch (raw.type) {
      case 'plan':
        return this.#handle(session, raw, PlanMessage, async (message) => handlers.answer(nodeId, message))
      case 'answer':
        return this.#handle(session, raw, AnswerMessage, async (message) => handlers.answer(nodeId, message))
      case 'progress':
        return this.#handle(session, raw, ProgressMessage, (message) => handlers.progress(nodeId, message))
      case 'applied':
        return this.#handle(session, raw, AppliedMessage, async (message) => {
          await handlers.applied(nodeId, message)
          session.send({ type: 'ack', sequence: message.sequence })
        })
      case 'drift':
        return this.#handle(session, raw, DriftMessage, (message) => handlers.drift(nodeId, message))
      default:
        return session.send({ type: 'unsupported', of: raw.type.slice(0, 64) })
    }
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

  #handle<T>(session: Session, raw: RawMessage, schema: ZodMiniType<T>, work: (message: T) => Promise<void>): void {
    const parsed = this.#catalogues.checked(raw, () => safeParse(schema, raw))
    if (!parsed.success) {
      const issue = parsed.error.issues[0]
      return this.#failures.refuse(session, raw, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`)
    }
    void this.#run(session, raw, () => work(parsed.data))
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
