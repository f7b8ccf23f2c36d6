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
  isTooDeep,
  LogMessage,
  metricFrameKind,
  MountRestoredMessage,
  PlanMessage,
  ProgressMessage,
  readingToleranceSeconds,
  UsageMessage,
} from '@roost/api-types/agent'
import { RoostError } from '@roost/api-types/rest'
import { isRefused } from '../db.js'
import type { Log } from '../log.js'
import { safeParse } from 'zod/mini'
import type { ZodMiniType } from 'zod/mini'
import type { Clock } from '../clock.js'
import { Gate } from '../gate.js'
import type { NoteEvent } from './audit-throttle.js'
import type { StreamHandlers } from './handlers.js'
import { RepeatedCatalogues, type RawMessage } from './repeated-catalogues.js'
import type { Session } from './session.js'

/** Messages of one agent that may be in progress; above that, nothing more is read from it. */
const maxPending = 32

/** After a restart a whole fleet sends its inventories: they must not use up the database connections of the API and of admissions. */
const inventoriesAtOnce = 2

/** Below this, a measured skew may come from the network alone: times are not corrected. */
const toleratedSkewSeconds = 5

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
  readonly #inventories = new Gate(inventoriesAtOnce)
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
    const raw = parse(data)
    if (raw !== undefined) this.#catalogues.keep(data, raw)
    return raw
  }

  #take(session: Session, raw: RawMessage): void {
    const { nodeId } = session.speaker
    const { handlers } = this.#deps
    switch (raw.type) {
      case 'inventory':
        return this.#handle(session, raw, InventoryMessage, async (message) => {
          await this.#inventories.run(() => handlers.inventory(nodeId, message))
          session.send({ type: 'ack', sequence: message.sequence })
        })
      case 'catalogue':
        return this.#handle(session, raw, CatalogueMessage, (message) => handlers.catalogue(nodeId, message))
      case 'device_usage':
        return this.#handle(session, raw, DeviceUsageMessage, async (message) =>
          handlers.deviceUsage(nodeId, { ...message, time: this.#ourTime(session, message.time) }),
        )
      case 'usage':
        return this.#handle(session, raw, UsageMessage, async (message) => {
          await handlers.usage(nodeId, message)
          session.send({ type: 'ack', sequence: message.sequence })
        })
      case 'mount_restored':
        return this.#handle(session, raw, MountRestoredMessage, async (message) => {
          await handlers.mountRestored(nodeId, { ...message, time: this.#pastTime(session, message.time) })
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

  /** A fault of ours, met by this message: nobody knows what state the session's data is in, so it begins again. */
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
      this.#moveTime(session, bytes)
      this.#deps.handlers.frame(session.speaker.nodeId, bytes)
    } catch (error) {
      this.#failed(session, { type: 'frame' }, error)
    }
  }

  /** Corrects the time of a frame in place, where the agent's clock is off. */
  #moveTime(session: Session, bytes: Buffer): void {
    const told = bytes.readDoubleLE(timeOffset)
    if (!Number.isFinite(told)) throw new FrameError('A frame has no time')
    const time = this.#ourTime(session, told)
    if (time !== told) bytes.writeDoubleLE(time, timeOffset)
  }

  /** Converts an agent's time to our clock, and never to the future: a value with a wrong time must not stay the newest one. */
  #ourTime(session: Session, told: number): number {
    const time = this.#moved(session, told)
    const now = this.#deps.clock.now() / 1000
    // Its clock has jumped since the hello: the next hello measures it again.
    if (Math.abs(time - now) > readingToleranceSeconds) throw new FrameError("The node's clock jumped: dial again.")
    return Math.min(time, now)
  }

  /** The same for what a node may have kept for weeks. */
  #pastTime(session: Session, told: number): number {
    return Math.min(this.#moved(session, told), this.#deps.clock.now() / 1000)
  }

  #moved({ speaker: { skew } }: Session, told: number): number {
    return Math.abs(skew) > toleratedSkewSeconds ? told - skew : told
  }
}

/** Where a metric frame has its time, see `frame.ts` of the protocol. */
const timeOffset = 16

function parse(data: Buffer): RawMessage | undefined {
  try {
    // PostgreSQL stores no NUL, and no name has one.
    const text = data.toString('utf8').replaceAll('\\u0000', '\\ufffd')
    if (isTooDeep(text)) return undefined
    const value: unknown = JSON.parse(text)
    return isRawMessage(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isRawMessage(value: unknown): value is RawMessage {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}

/** Another node that a message names. No message has such a field: it is an attempt to speak for that node. */
function otherNode(raw: RawMessage, nodeId: number, uuid: string): string | undefined {
  for (const [field, own] of [
    ['node', nodeId],
    ['node_id', nodeId],
    ['node_uuid', uuid],
  ] as const) {
    const named = raw[field]
    if (named !== undefined && named !== own) return JSON.stringify(named).slice(0, 64)
  }
  return undefined
}
