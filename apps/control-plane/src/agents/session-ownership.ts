import { closeCodes } from '@roost/api-types/agent'
import type { Log } from '../lifecycle/log.js'
import type { RecordEvent } from './audit-throttle.js'
import type { StreamHandlers } from './handlers.js'
import type { Presence } from './presence.js'
import type { Registry } from './registry.js'
import type { Session } from './session.js'

/** Maximum number of parked sessions per node; other clones must retry later. */
const maxParked = 4
const cloneRetryMs = 300_000

export interface SessionOwnershipOptions {
  readonly registry: Registry
  readonly presence: Presence
  readonly handlers: Pick<StreamHandlers, 'connected' | 'disconnected'>
  readonly recordEvent: RecordEvent
  readonly log: Log
  readonly probeMs: number
}

/** Decides which session is its node's own. */
export class SessionOwnership {
  readonly #options: SessionOwnershipOptions

  constructor(options: SessionOwnershipOptions) {
    this.#options = options
  }

  /** Decides whether the session is its node's own. `lastMachine` is the stored machine-id of the node. */
  async claim(session: Session, lastMachine: string): Promise<void> {
    // Each round ends with an owner, or with the end of the session that was the owner.
    while (session.isOpen) {
      const own = this.#options.registry.own(session.agent.nodeId)
      if (!own) return this.#claimFree(session, lastMachine)
      if (isSameMachine(own, session)) {
        this.#assign(session)
        return own.close(closeCodes.replaced, 'A newer session of this machine replaced this one.')
      }
      if (await this.#isStillActive(own)) return this.#park(session, describe(own))
    }
  }

  /** Releases a session that has ended. */
  release(session: Session): void {
    const { registry, presence, handlers } = this.#options
    const { nodeId } = session.agent
    const was = registry.remove(session)
    if (was === 'own') handlers.disconnected(nodeId)
    if (was === 'parked' && registry.parked(nodeId).length === 0) presence.duplicate(nodeId, false)
  }

  /** Closes parked sessions, so that they reconnect, when the node's own machine has been silent long enough. */
  recallParked(nodeId: number): void {
    const { registry, presence } = this.#options
    if (registry.own(nodeId) || presence.isAwaited(nodeId)) return
    for (const session of registry.parked(nodeId))
      session.close(closeCodes.tryAgainLater, 'The other machine is offline. Reconnect.', 1_000)
  }

  /** Assigns a node without a session. Another machine must wait while the node's own is only reconnecting. */
  #claimFree(session: Session, lastMachine: string): void {
    const { nodeId, machineId } = session.agent
    if (machineId !== lastMachine && this.#options.presence.isAwaited(nodeId))
      this.#park(session, `machine-id ${lastMachine}`)
    else this.#assign(session)
  }

  /** Probes a session: a machine that lost power leaves one behind and returns with another boot-id. */
  async #isStillActive(own: Session): Promise<boolean> {
    const isAlive = await own.probe(this.#options.probeMs)
    if (this.#options.registry.own(own.agent.nodeId) !== own) return false
    if (isAlive) return true
    this.release(own)
    own.terminate()
    return false
  }

  #assign(session: Session): void {
    const { registry, presence, handlers } = this.#options
    registry.assign(session)
    presence.connected(session.agent, session.lastHeard, session.patienceMs)
    handlers.connected(session.agent.nodeId)
  }

  #park(session: Session, other: string): void {
    if (!session.isOpen) return
    const { registry, presence, recordEvent, log } = this.#options
    const { nodeId, uuid, machineId, bootId, address } = session.agent
    if (registry.parked(nodeId).length >= maxParked)
      return session.close(closeCodes.tryAgainLater, 'Too many machines have this identity.', cloneRetryMs)
    session.parked = `another machine has this identity: ${other}. Enroll this machine again.`
    registry.park(session)
    presence.duplicate(nodeId, true)
    log.warn(
      { nodeId, machineId, bootId, address, other },
      'a second machine has the identity of a node, not accepting its messages: enroll that machine again',
    )
    const details = { machine_id: machineId, boot_id: bootId, address, first: other }
    recordEvent({ action: 'duplicate', nodeId, actor: `agent ${uuid}`, address, details })
  }
}

function isSameMachine(one: Session, other: Session): boolean {
  return one.agent.machineId === other.agent.machineId && one.agent.bootId === other.agent.bootId
}

function describe({ agent }: Session): string {
  return `machine-id ${agent.machineId}, boot-id ${agent.bootId}, at ${agent.address}`
}
