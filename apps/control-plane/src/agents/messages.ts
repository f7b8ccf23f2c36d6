import {
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
  PlanMessage,
  ProgressMessage,
  UsageMessage,
} from '@roost/api-types/agent'
import { RoostError } from '@roost/api-types/rest'
import type { Log } from '../log.js'
import { safeParse } from 'zod/mini'
import type { ZodMiniType } from 'zod/mini'
import type { Clock } from '../clock.js'
import { Gate } from '../gate.js'
import type { NoteEvent } from './audit-throttle.js'
import type { StreamHandlers } from './handlers.js'
import type { Session } from './session.js'

/** Messages of one agent that may be in the works before no more is read from it. */
const maxPending = 32

/** After a restart a whole fleet sends its inventories: they must not take the database from the API and from hellos. */
const inventoriesAtOnce = 2

/** A skew below this is as likely the network's; the times of such an agent are left alone. */
const toleratedSkewSeconds = 5

type Said = Readonly<Record<string, unknown>> & { readonly type: string }

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

/** Takes what the agents say and hands each message on under the session's own node, whatever the message says. */
export class Messages {
  readonly counts: MessageCounts = { frames: 0, messages: 0, refused: 0 }
  readonly #deps: MessagesDeps
  readonly #inventories = new Gate(inventoriesAtOnce)

  constructor(deps: MessagesDeps) {
    this.#deps = deps
  }

  /** Never throws: one agent's message must not reach another's session. */
  hear(session: Session, data: Buffer, isBinary: boolean): void {
    if (isBinary) return this.#frame(session, data)
    this.counts.messages += 1
    const said = parse(data)
    if (said === undefined)
      return session.close(closeCodes.policyViolation, 'A message was no JSON object with a type.')
    if (said.type === 'ping') return session.send({ type: 'pong', id: typeof said.id === 'number' ? said.id : 0 })
    // `unsupported` and `refused` are never answered: two sides that do not understand each other would not end.
    if (said.type === 'pong' || said.type === 'unsupported' || said.type === 'refused') return
    const obstacle = this.#obstacle(session, said)
    if (obstacle === undefined) this.#take(session, said)
    else this.#refuse(session, said, obstacle)
  }

  #take(session: Session, said: Said): void {
    const { nodeId } = session.speaker
    const { handlers } = this.#deps
    switch (said.type) {
      case 'inventory':
        return this.#handle(session, said, InventoryMessage, async (message) => {
          await this.#inventories.run(() => handlers.inventory(nodeId, message))
          session.send({ type: 'ack', sequence: message.sequence })
        })
      case 'catalogue':
        return this.#handle(session, said, CatalogueMessage, (message) => handlers.catalogue(nodeId, message))
      case 'device_usage':
        return this.#handle(session, said, DeviceUsageMessage, (message) =>
          handlers.deviceUsage(nodeId, { ...message, time: this.#ourTime(session, message.time) }),
        )
      case 'usage':
        return this.#handle(session, said, UsageMessage, async (message) => {
          await handlers.usage(nodeId, message)
          session.send({ type: 'ack', sequence: message.sequence })
        })
      case 'log':
        return this.#handle(session, said, LogMessage, async (message) => handlers.log(nodeId, message))
      case 'hello':
        return this.#refuse(session, said, 'This session has said hello already.')
      default:
        return this.#takeDeployment(session, said)
    }
  }

  /** What becomes of the states that nodes are to reach. */
  #takeDeployment(session: Session, said: Said): void {
    const { nodeId } = session.speaker
    const { handlers } = this.#deps
    switch (said.type) {
      case 'plan':
        return this.#handle(session, said, PlanMessage, async (message) => handlers.plan(nodeId, message))
      case 'progress':
        return this.#handle(session, said, ProgressMessage, (message) => handlers.progress(nodeId, message))
      case 'applied':
        return this.#handle(session, said, AppliedMessage, async (message) => {
          await handlers.applied(nodeId, message)
          session.send({ type: 'ack', sequence: message.sequence })
        })
      case 'drift':
        return this.#handle(session, said, DriftMessage, (message) => handlers.drift(nodeId, message))
      default:
        return session.send({ type: 'unsupported', of: said.type.slice(0, 64) })
    }
  }

  /** Why nothing of this may be taken, or undefined. */
  #obstacle(session: Session, said: Said): string | undefined {
    const { nodeId, uuid, address } = session.speaker
    const other = otherNode(said, nodeId, uuid)
    if (other === undefined) return session.parked === null ? undefined : `This session is parked: ${session.parked}`
    const details = { message: said.type.slice(0, 64), named: other }
    this.#deps.note({ action: 'refuse', nodeId, actor: `agent ${uuid}`, address, details })
    return `This session speaks for node ${uuid} alone.`
  }

  #handle<T>(session: Session, said: Said, schema: ZodMiniType<T>, work: (message: T) => Promise<void>): void {
    const parsed = safeParse(schema, said)
    if (!parsed.success) {
      const issue = parsed.error.issues[0]
      return this.#refuse(session, said, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`)
    }
    session.pending += 1
    session.throttle(maxPending)
    work(parsed.data)
      .catch((error: unknown) => this.#failed(session, said, error))
      .finally(() => {
        session.pending -= 1
        session.throttle(maxPending)
      })
  }

  #failed(session: Session, said: Said, error: unknown): void {
    const isAnswer = error instanceof RoostError
    if (!isAnswer)
      this.#deps.log.error({ err: error, nodeId: session.speaker.nodeId, message: said.type }, 'cannot take a message')
    this.#refuse(session, said, isAnswer ? error.message : 'The control plane could not take this now.')
  }

  #refuse(session: Session, said: Said, message: string): void {
    this.counts.refused += 1
    session.send({
      type: 'refused',
      of: said.type.slice(0, 64),
      ...(typeof said.sequence === 'number' ? { sequence: said.sequence } : {}),
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
      if (error instanceof FrameError) session.close(closeCodes.policyViolation, error.message)
      else this.#failed(session, { type: 'frame' }, error)
    }
  }

  /** Rewrites the time of a frame in its bytes, where it must be. */
  #moveTime(session: Session, bytes: Buffer): void {
    const told = bytes.readDoubleLE(timeOffset)
    if (!Number.isFinite(told)) throw new FrameError('A frame has no time')
    const time = this.#ourTime(session, told)
    if (time !== told) bytes.writeDoubleLE(time, timeOffset)
  }

  /** The agent's time on our clock, and never in its future: what a wrong clock says must not outlive a right one. */
  #ourTime(session: Session, told: number): number {
    const { skew } = session.speaker
    const moved = Math.abs(skew) > toleratedSkewSeconds ? told - skew : told
    return Math.min(moved, this.#deps.clock.now() / 1000)
  }
}

/** Where a metric frame has its time, see `frame.ts` of the protocol. */
const timeOffset = 16

function parse(data: Buffer): Said | undefined {
  try {
    // PostgreSQL stores no NUL, and no name has one.
    const text = data.toString('utf8').replaceAll('\\u0000', '\\ufffd')
    const value: unknown = JSON.parse(text)
    return isSaid(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isSaid(value: unknown): value is Said {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}

/** The node that a message names beside the one whose session it is. No message has such a field: somebody tries. */
function otherNode(said: Said, nodeId: number, uuid: string): string | undefined {
  for (const [field, own] of [
    ['node', nodeId],
    ['node_id', nodeId],
    ['node_uuid', uuid],
  ] as const) {
    const named = said[field]
    if (named !== undefined && named !== own) return JSON.stringify(named).slice(0, 64)
  }
  return undefined
}
