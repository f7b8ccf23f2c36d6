import { closeCodes } from '@roost/api-types/agent'
import type { Log } from '../lifecycle/log.js'
import type { NoteEvent } from './audit-throttle.js'
import type { StreamHandlers } from './handlers.js'
import type { Presence } from './presence.js'
import type { Registry } from './registry.js'
import type { Session } from './session.js'

/** Parked sessions that are kept open per node; further clones are told to try again later. */
const maxParked = 4
const cloneRetryMs = 300_000

export interface SessionOwnershipDeps {
  readonly registry: Registry
  readonly presence: Presence
  readonly handlers: Pick<StreamHandlers, 'connected' | 'disconnected'>
  readonly note: NoteEvent
  readonly log: Log
  readonly probeMs: number
}

/** Decides which session is its node's own. */
export class SessionOwnership {
  readonly #deps: SessionOwnershipDeps

  constructor(deps: SessionOwnershipDeps) {
    this.#deps = deps
  }

  /** `lastMachine`: the machine that was the node's when it was last written. Resolves when it is decided. */
  async claim(session: Session, lastMachine: string): Promise<void> {
    // Each turn ends with an owner, or finds that the session in the way has gone.
    while (session.isOpen) {
      const own = this.#deps.registry.own(session.speaker.nodeId)
      if (!own) return this.#claimFree(session, lastMachine)
      if (isSameMachine(own, session)) {
        this.#assign(session)
        return own.close(closeCodes.replaced, 'A newer session of this machine took over.')
      }
      if (await this.#isStillHeld(own)) return this.#park(session, describe(own))
    }
  }

  /** A session has ended. */
  release(session: Session): void {
    const { registry, presence, handlers } = this.#deps
    const { nodeId } = session.speaker
    const was = registry.remove(session)
    if (was === 'own') handlers.disconnected(nodeId)
    if (was === 'parked' && registry.parked(nodeId).length === 0) presence.duplicate(nodeId, false)
  }

  /** Calls parked sessions back when their node's own machine has been silent for long enough. */
  recallParked(nodeId: number): void {
    const { registry, presence } = this.#deps
    if (registry.own(nodeId) || presence.isAwaited(nodeId)) return
    for (const session of registry.parked(nodeId))
      session.close(closeCodes.tryAgainLater, 'The other machine is gone: dial again.', 1_000)
  }

  /** Another machine must not take over while the node's own is only reconnecting. */
  #claimFree(session: Session, lastMachine: string): void {
    const { nodeId, machineId } = session.speaker
    if (machineId !== lastMachine && this.#deps.presence.isAwaited(nodeId))
      this.#park(session, `machine-id ${lastMachine}`)
    else this.#assign(session)
  }

  /** A machine that lost its power leaves a session behind and comes back with another boot-id: ask who is there. */
  async #isStillHeld(own: Session): Promise<boolean> {
    const isAlive = await own.probe(this.#deps.probeMs)
    if (this.#deps.registry.own(own.speaker.nodeId) !== own) return false
    if (isAlive) return true
    this.release(own)
    own.terminate()
    return false
  }

  #assign(session: Session): void {
    const { registry, presence, handlers } = this.#deps
    registry.take(session)
    presence.connected(session.speaker, session.lastHeard, session.patienceMs)
    handlers.connected(session.speaker.nodeId)
  }

  #park(session: Session, other: string): void {
    if (!session.isOpen) return
    const { registry, presence, note, log } = this.#deps
    const { nodeId, uuid, machineId, bootId, address } = session.speaker
    if (registry.parked(nodeId).length >= maxParked)
      return session.close(closeCodes.tryAgainLater, 'Too many machines have this identity.', cloneRetryMs)
    session.parked = `another machine has this identity: ${other}. Enrol this machine again.`
    registry.park(session)
    presence.duplicate(nodeId, true)
    log.warn({ nodeId, machineId, bootId, address, other }, 'a second machine has the identity of a node: parked')
    const details = { machine_id: machineId, boot_id: bootId, address, first: other }
    note({ action: 'duplicate', nodeId, actor: `agent ${uuid}`, address, details })
  }
}

function isSameMachine(one: Session, other: Session): boolean {
  return one.speaker.machineId === other.speaker.machineId && one.speaker.bootId === other.speaker.bootId
}

function describe({ speaker }: Session): string {
  return `machine-id ${speaker.machineId}, boot-id ${speaker.bootId}, at ${speaker.address}`
}
