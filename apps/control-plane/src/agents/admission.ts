import { closeCodes, shareFieldsOf010 } from '@roost/api-types/agent'
import type { Settings } from '@roost/api-types/agent'
import type { Log } from '../lifecycle/log.js'
import type { WebSocket } from 'ws'
import { type Clock, concurrencyLimit } from '@roost/runtime'
import { logged } from '../services/errors.js'
import type { NoteEvent } from './audit-throttle.js'
import type { Identities } from './fleet.js'
import { greet } from './handshake.js'
import { judgeHello } from './hello.js'
import type { Accepted, Rejected } from './hello.js'
import type { StreamOptions } from './options.js'
import type { Presence } from './presence.js'
import type { SessionOwnership } from './session-ownership.js'
import { closeSocket, Session } from './session.js'
import type { SessionListener, Speaker } from './session.js'

/** A clock that is further off than this is worth a line in the log. */
const notableSkewSeconds = 5

export interface AdmissionDeps {
  readonly identities: Identities
  readonly presence: Presence
  readonly ownership: SessionOwnership
  readonly listener: SessionListener
  readonly settings: () => Settings
  readonly retryAfterMs: () => number
  readonly note: NoteEvent
  readonly clock: Clock
  readonly log: Log
}

/** Handles a connection from its first byte to the welcome message. */
export class Admission {
  readonly #deps: AdmissionDeps
  readonly #options: StreamOptions
  readonly #limit: ReturnType<typeof concurrencyLimit>
  readonly #revokedAt = new Map<number, number>()

  constructor(deps: AdmissionDeps, options: StreamOptions) {
    this.#deps = deps
    this.#options = options
    this.#limit = concurrencyLimit(options.admissions)
  }

  /** Never rejects: what fails here is one connection. */
  async accept(socket: WebSocket, address: string): Promise<void> {
    try {
      await this.#admit(socket, address)
    } catch (error) {
      this.#deps.log.error({ ...logged(error), address }, 'cannot admit an agent')
      closeSocket(socket, closeCodes.tryAgainLater, 'Not ready.', this.#deps.retryAfterMs())
    }
  }

  /** A connection of this node that is still being admitted when the node is revoked is closed. */
  revoke(nodeId: number): void {
    this.#revokedAt.set(nodeId, this.#deps.clock.monotonic())
  }

  async #admit(socket: WebSocket, address: string): Promise<void> {
    const { clock, identities, ownership, settings } = this.#deps
    const greeted = await greet(socket, clock, this.#options)
    if (!greeted) return
    const asked = clock.monotonic()
    const verdict = await this.#limit(() => judgeHello(greeted.text, greeted.nonce, identities, this.#options.protocol))
    if (verdict.kind === 'rejected') return this.#turnAway(socket, address, verdict)
    const speaker = this.#speaker(verdict, address, greeted.at)
    const { heartbeat_interval_ms: intervalMs } = settings()
    const session = new Session(socket, speaker, this.#deps.listener, intervalMs, this.#options)
    await ownership.claim(session, verdict.identity.machineId)
    if ((this.#revokedAt.get(speaker.nodeId) ?? -Infinity) >= asked) return session.revoke()
    session.send({ type: 'welcome', node_id: speaker.nodeId, parked: session.parked })
    session.pace(settings())
    session.resume()
  }

  #speaker({ identity, hello }: Accepted, address: string, at: number): Speaker {
    const { nodeId, uuid } = identity
    const skew = hello.clock - at
    if (Math.abs(skew) > notableSkewSeconds)
      this.#deps.log.warn({ nodeId, skewSeconds: Math.round(skew) }, "a node's clock is off")
    return {
      nodeId,
      uuid,
      hostname: clean(hello.hostname),
      machineId: clean(hello.machine_id),
      bootId: clean(hello.boot_id),
      agentVersion: clean(hello.agent_version),
      protocol: hello.protocol,
      shareFields: new Set(hello.share_fields ?? shareFieldsOf010),
      address,
      skew,
    }
  }

  #turnAway(socket: WebSocket, address: string, { code, message, claimed, incompatible }: Rejected): void {
    const { log, presence, note } = this.#deps
    const node = claimed ?? incompatible?.identity
    log.warn({ address, code, nodeId: node?.nodeId }, `an agent was refused: ${message}`)
    if (incompatible) presence.incompatible(incompatible.identity.nodeId, clean(incompatible.hello.agent_version))
    if (claimed)
      note({ action: 'refuse', nodeId: claimed.nodeId, actor: 'agent', address, details: { message: 'hello' } })
    closeSocket(socket, code, message)
  }
}

/** Text from an agent that is stored and shown to people: printable ASCII, at most 128 characters. */
function clean(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 128)
}
