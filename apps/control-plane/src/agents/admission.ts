import { closeCodes, shareFieldsOf010, storageFieldsOf010 } from '@roost/api-types/agent'
import type { Settings } from '@roost/api-types/agent'
import type { Log } from '../lifecycle/log.js'
import type { WebSocket } from 'ws'
import { type Clock, concurrencyLimit } from '@roost/runtime'
import { createFailureLimit } from '../services/failure-limit.js'
import type { FailureLimit } from '../services/failure-limit.js'
import { logged } from '../services/errors.js'
import type { RecordEvent } from './audit-throttle.js'
import type { Identities } from './fleet.js'
import { shakeHands } from './handshake.js'
import { judgeHello } from './hello.js'
import type { Accepted, Rejected } from './hello.js'
import type { StreamLimits } from './limits/stream-limits.js'
import type { Presence } from './presence.js'
import { AgentClock } from './received/agent-time.js'
import type { SessionOwnership } from './session-ownership.js'
import { closeSocket, Session } from './session.js'
import type { SessionListener, AuthenticatedAgent } from './session.js'

const tooManyRefused = 'Too many refused hellos from this address. Retry later.'

/** A larger difference of clocks is logged. */
const loggedSkewSeconds = 5

export interface AdmissionOptions {
  readonly identities: Identities
  readonly presence: Presence
  readonly ownership: SessionOwnership
  readonly listener: SessionListener
  readonly settings: () => Settings
  readonly retryAfterMs: () => number
  readonly recordEvent: RecordEvent
  readonly clock: Clock
  readonly log: Log
}

/** Admits connections: from the handshake to the welcome message. */
export class Admission {
  readonly #options: AdmissionOptions
  readonly #limits: StreamLimits
  readonly #limit: ReturnType<typeof concurrencyLimit>
  readonly #refusals: FailureLimit
  readonly #revokedAt = new Map<number, number>()

  constructor(options: AdmissionOptions, limits: StreamLimits) {
    this.#options = options
    this.#limits = limits
    this.#limit = concurrencyLimit(limits.admissions)
    this.#refusals = createFailureLimit(limits.refusedHellosPerMinute, () => options.clock.monotonic())
  }

  /** Never rejects: a failure closes only this connection. */
  async accept(socket: WebSocket, address: string): Promise<void> {
    try {
      await this.#admit(socket, address)
    } catch (error) {
      this.#options.log.error({ ...logged(error), address }, 'could not admit the agent')
      closeSocket(
        socket,
        closeCodes.tryAgainLater,
        'The control plane is not ready. Retry later.',
        this.#options.retryAfterMs(),
      )
    }
  }

  /** Closes connections of the node that are being admitted. */
  revoke(nodeId: number): void {
    this.#revokedAt.set(nodeId, this.#options.clock.monotonic())
  }

  async #admit(socket: WebSocket, address: string): Promise<void> {
    const { clock, identities, ownership, settings } = this.#options
    const waitSeconds = this.#refusals.retryAfterSeconds(address)
    if (waitSeconds !== undefined)
      return closeSocket(socket, closeCodes.tryAgainLater, tooManyRefused, waitSeconds * 1_000)
    const handshake = await shakeHands(socket, clock, this.#limits)
    if (!handshake) return
    const asked = clock.monotonic()
    const verdict = await this.#limit(() =>
      judgeHello(handshake.text, handshake.nonce, identities, this.#limits.protocol),
    )
    if (verdict.kind === 'rejected') return this.#refuse(socket, address, verdict)
    const agent = this.#agent(verdict, address, handshake.atMs)
    const { heartbeat_interval_ms: intervalMs } = settings()
    const session = new Session(socket, agent, this.#options.listener, intervalMs, this.#limits)
    await ownership.claim(session, verdict.identity.machineId)
    if ((this.#revokedAt.get(agent.nodeId) ?? -Infinity) >= asked) return session.revoke()
    session.send({ type: 'welcome', node_id: agent.nodeId, parked: session.parked })
    session.pace(settings())
    session.begin()
  }

  #agent({ identity, hello }: Accepted, address: string, atMs: number): AuthenticatedAgent {
    const { nodeId, uuid } = identity
    const clock = new AgentClock(this.#options.clock, hello.clock, atMs)
    const { skew } = clock
    if (Math.abs(skew) > loggedSkewSeconds)
      this.#options.log.warn(
        { nodeId, skewSeconds: Math.round(skew) },
        'the clock of the node differs from that of the control plane: synchronize both, preferably with NTP',
      )
    return {
      nodeId,
      uuid,
      hostname: clean(hello.hostname),
      machineId: clean(hello.machine_id),
      bootId: clean(hello.boot_id),
      agentVersion: clean(hello.agent_version),
      protocol: hello.protocol,
      capabilities: new Set(hello.capabilities),
      shareFields: new Set(hello.share_fields ?? shareFieldsOf010),
      storageFields: new Set(hello.storage_fields ?? storageFieldsOf010),
      address,
      clock,
    }
  }

  #refuse(socket: WebSocket, address: string, { code, message, claimed, incompatible }: Rejected): void {
    const { log, presence, recordEvent } = this.#options
    const node = claimed ?? incompatible?.identity
    if (code === closeCodes.unauthenticated) this.#refusals.fail(address)
    log.warn({ address, code, nodeId: node?.nodeId, reason: message }, 'refused an agent')
    if (incompatible) presence.incompatible(incompatible.identity.nodeId, clean(incompatible.hello.agent_version))
    if (claimed)
      recordEvent({ action: 'refuse', nodeId: claimed.nodeId, actor: 'agent', address, details: { message: 'hello' } })
    closeSocket(socket, code, message)
  }
}

/** Returns text of an agent that is safe to store and show: printable ASCII, at most 128 characters. */
function clean(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 128)
}
