import {
  AnswerMessage,
  AppliedMessage,
  CatalogueMessage,
  closeCodes,
  DeviceUsageMessage,
  DriftMessage,
  FrameError,
  frameHeaderBytes,
  InventoryMessage,
  LogMessage,
  metricFrameKind,
  MountRestoredMessage,
  PlanMessage,
  ProgressMessage,
  UsageMessage,
} from '@roost/api-types/agent'
import { RoostError } from '@roost/api-types/rest'
import { isRefused } from '../database/database.js'
import type { Log } from '../lifecycle/log.js'
import { safeParse } from 'zod/mini'
import type { ZodMiniType } from 'zod/mini'
import { type Clock, concurrencyLimit } from '@roost/runtime'
import { convertFrameTime, pastTime, readingTime } from './received/agent-time.js'
import type { NoteEvent } from './audit-throttle.js'
import type { StreamHandlers } from './handlers.js'
import { otherNode, parseMessage, type RawMessage } from './received/raw-message.js'
import { RepeatedCatalogues } from './received/repeated-catalogues.js'
import type { Session } from './session.js'

/** Messages of one agent that may be in progress; above that, nothing more is read from it. */
const maxPending = 32

/** After a restart a whole fleet sends its inventories: they must not use up the database connections of the API and of admissions. */
const inventoriesAtOnce = 2

export interface MessagesDeps {
  readonly handlers: StreamHandlers
  readonly note: NoteEvent
  readonly clock: Clock
  readonly log: Log
}

export interface MessageCounts {
  frames: number
  messages: number
  refused: number
}

/** Dispatches the agents' messages. Each is attributed to the node of its session, whatever the message itself claims. */
export class Messages {
  readonly counts: MessageCounts = { frames: 0, messages: 0, refused: 0 }
  readonly #deps: MessagesDeps
  readonly #inventories = concurrencyLimit(inventoriesAtOnce)
  readonly #catalogues = new RepeatedCatalogues()

  constructor(deps: MessagesDeps) {
    this.#deps = deps
  }

  /** Never throws: whatever one agent sends, no other session notices. */
  receive(session: Session, data: Buffer, isBinary: boolean): void {
    try {
      if (isBinary) this.#frame(session, data)
      else this.#message(session, data)
    } catch (error) {
      this.#crashed(session, isBinary ? 'frame' : 'message', error)
    }
  }

  #message(session: Session, data: Buffer): void {
    this.counts.messages += 1
    const raw = this.#catalogues.find(data) ?? this.#read(data)
    if (raw === undefined)
      return session.close(closeCodes.policyViolation, 'A message was no JSON object with a type, or nested too deep.')
    if (raw.type === 'ping') return session.send({ type: 'pong', id: typeof raw.id === 'number' ? raw.id : 0 })
    // `unsupported` and `refused` are never answered: two sides that do not understand each other would not end.
    if (raw.type === 'pong' || raw.type === 'unsupported' || raw.type === 'refused') return
    const obstacle = this.#obstacle(session, raw)
    if (obstacle === undefined) this.#take(session, raw)
    else this.#refuse(session, raw, obstacle)
  }

  #read(data: Buffer): RawMessage | undefined {
    const raw = parseMessage(data)
    if (raw !== undefined) this.#catalogues.keep(data, raw)
    return raw
  }

  #take(session: Session, raw: RawMessage): void {
    const { nodeId, skew } = session.speaker
    const { handlers, clock } = this.#deps
    switch (raw.type) {
      case 'inventory':
        return this.#handle(session, raw, InventoryMessage, async (message) => {
          await this.#inventories(() => handlers.inventory(nodeId, message))
          session.send({ type: 'ack', sequence: message.sequence })
        })
      case 'catalogue':
        return this.#handle(session, raw, CatalogueMessage, (message) => handlers.catalogue(nodeId, message))
      case 'device_usage':
        return this.#handle(session, raw, DeviceUsageMessage, async (message) =>
          handlers.deviceUsage(nodeId, { ...message, time: readingTime(message.time, skew, clock) }),
        )
      case 'usage':
        return this.#handle(session, raw, UsageMessage, async (message) => {
          await handlers.usage(nodeId, message)
          session.send({ type: 'ack', sequence: message.sequence })
        })
      case 'mount_restored':
        return this.#handle(session, raw, MountRestoredMessage, async (message) => {
          await handlers.mountRestored(nodeId, { ...message, time: pastTime(message.time, skew, clock) })
          session.send({ type: 'ack', sequence: message.sequence })
        })
      case 'log':
        return this.#handle(session, raw, LogMessage, async (message) => handlers.log(nodeId, message))
      case 'hello':
        return this.#refuse(session, raw, 'This session has said hello already.')
      default:
        return this.#takeDeployment(session, raw)
    }
  }

  /** Messages about deployments. */
  #takeDeployment(session: Session, raw: RawMessage): void {
    const { nodeId } = session.speaker
    const { handlers } = this.#deps
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

  /** Why the message must be refused, or undefined. */
  #obstacle(session: Session, raw: RawMessage): string | undefined {
    const { nodeId, uuid, address } = session.speaker
    const other = otherNode(raw, nodeId, uuid)
    if (other === undefined) return session.parked === null ? undefined : `This session is parked: ${session.parked}`
    const details = { message: raw.type.slice(0, 64), named: other }
    this.#deps.note({ action: 'refuse', nodeId, actor: `agent ${uuid}`, address, details })
    return `This session speaks for node ${uuid} alone.`
  }

  #handle<T>(session: Session, raw: RawMessage, schema: ZodMiniType<T>, work: (message: T) => Promise<void>): void {
    const parsed = this.#catalogues.checked(raw, () => safeParse(schema, raw))
    if (!parsed.success) {
      const issue = parsed.error.issues[0]
      return this.#refuse(session, raw, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`)
    }
    void this.#run(session, raw, () => work(parsed.data))
  }

  /** Asynchronous, so that what a handler throws before its first await ends like what it rejects with. */
  async #run(session: Session, raw: RawMessage, work: () => Promise<void>): Promise<void> {
    session.pending += 1
    session.throttle(maxPending)
    try {
      await work()
    } catch (error) {
      this.#failed(session, raw, error)
    } finally {
      session.pending -= 1
      session.throttle(maxPending)
    }
  }

  #failed(session: Session, raw: RawMessage, error: unknown): void {
    if (error instanceof RoostError) this.#refuse(session, raw, error.message)
    else if (isRefused(error)) this.#refusedByDatabase(session, raw, error)
    else if (error instanceof FrameError) session.close(closeCodes.policyViolation, error.message)
    else this.#crashed(session, raw.type, error)
  }

  /** The same values would be refused again: the message is dropped, and the session goes on. */
  #refusedByDatabase(session: Session, raw: RawMessage, err: unknown): void {
    const { nodeId, hostname } = session.speaker
    this.#deps.log.warn({ err, nodeId, hostname, message: raw.type }, 'dropped a message that the database refuses')
    this.#refuse(session, raw, 'The database refuses the values of this message.')
  }

  /** Ends the session after a fault of ours: the state of its data is unknown, so it begins again. */
  #crashed(session: Session, type: string, error: unknown): void {
    this.counts.refused += 1
    const { nodeId, hostname } = session.speaker
    const fields = { err: error, nodeId, hostname, message: type.slice(0, 64) }
    this.#deps.log.error(fields, 'could not process a message of a node: its session ends')
    session.close(closeCodes.internalError, 'The control plane failed to process a message.')
  }

  #refuse(session: Session, raw: RawMessage, message: string): void {
    this.counts.refused += 1
    session.send({
      type: 'refused',
      of: raw.type.slice(0, 64),
      ...(typeof raw.sequence === 'number' ? { sequence: raw.sequence } : {}),
      message: message.slice(0, 500),
    })
  }

  #frame(session: Session, bytes: Buffer): void {
    this.counts.frames += 1
    if (session.parked !== null) return
    const kind = bytes[0]
    if (kind !== undefined && kind !== metricFrameKind)
      return session.send({ type: 'unsupported', of: `frame ${kind}` })
    if (bytes.length < frameHeaderBytes) return session.close(closeCodes.policyViolation, 'A frame has no header.')
    try {
      const { nodeId, skew } = session.speaker
      convertFrameTime(bytes, skew, this.#deps.clock)
      this.#deps.handlers.frame(nodeId, bytes)
    } catch (error) {
      this.#failed(session, { type: 'frame' }, error)
    }
  }
}
