import { upgradeCapability } from '@roost/api-types/agent'
import type { AgentPackage, AgentUpgradeProgress } from '@roost/api-types/agent'
import type { UpgradeTargetState } from '@roost/api-types/rest'
import { CheckLoop } from '@roost/runtime'
import type { Clock } from '@roost/runtime'
import type { AgentRequests, NodeChannel } from '../agents/requests.js'
import type { Transaction } from '../database/transaction.js'
import type { Log } from '../lifecycle/log.js'
import { logged, logFailure } from '../services/errors.js'
import { decideUpgrade } from './decide.js'
import type { NodeAccess, UpgradeDecision } from './decide.js'
import type { UpgradeNow, UpgradeStore } from './store.js'
import { notAccepted } from './waves.js'

export interface UpgradeRunnerOptions {
  readonly store: UpgradeStore
  readonly channel: NodeChannel
  readonly requests: Pick<AgentRequests, 'ask'>
  readonly listPackages: () => Promise<readonly AgentPackage[]>
  readonly clock: Clock
  readonly log: Log
}

/** Of one question; the agent answers from its files. */
const answerMs = 15_000
/** A download, an installation, two minutes for the report, and the same again for the return. */
const targetMs = 20 * 60_000
/** Packages that a request names. */
const maxPackages = 100

/** Runs upgrades. Every step is its own transaction, so a crash loses nothing: agents are asked again. */
export class UpgradeRunner {
  readonly #options: UpgradeRunnerOptions
  /** When each target that is being upgraded expires, by the monotonic clock, as `upgrade/node`. */
  readonly #deadlines = new Map<string, number>()
  readonly #asking = new Set<string>()
  readonly #loop: CheckLoop

  constructor(options: UpgradeRunnerOptions) {
    this.#options = options
    const { log } = options
    this.#loop = new CheckLoop({
      check: () => this.#check(),
      onError: (error) => logFailure(log, error, 'could not check the upgrades, retrying'),
    })
  }

  /** Checks every upgrade now, or again after the present check. */
  wake(): void {
    this.#loop.wake()
  }

  /** Resolves when nothing is under way; nothing begins after it. */
  stop(): Promise<void> {
    return this.#loop.stop()
  }

  async #check(): Promise<void> {
    for (const upgrade of await this.#options.store.open()) await this.#advance(upgrade)
  }

  async #advance({ id }: UpgradeNow): Promise<void> {
    const { store } = this.#options
    const moved = await store.transaction(async (tx) => {
      const now = (await store.findForUpdate(tx, id))?.now
      return now !== undefined && this.#move(tx, now)
    })
    if (moved) return this.#advance({ id } as UpgradeNow)
    const upgrade = await store.transaction(async (tx) => (await store.findForUpdate(tx, id))?.now)
    for (const target of upgrade?.targets ?? [])
      if (upgrade !== undefined && target.state === 'upgrading') this.#ask(upgrade, target.nodeId)
  }

  /** Stores the next step; returns true if it may have another one. */
  async #move(tx: Transaction, upgrade: UpgradeNow): Promise<boolean> {
    const { store, clock } = this.#options
    const { id, state, targets } = upgrade
    if (await this.#expire(tx, upgrade)) return true
    if (state.startsWith('COMPLETED')) return this.#admitReturned(tx, upgrade)
    if (state !== 'IN_PROGRESS') await store.begin(tx, id, new Date(clock.now()))
    const decision = (await this.#withoutPackage(upgrade)) ?? decideUpgrade(targets, (nodeId) => this.#accessOf(nodeId))
    await this.#store(tx, id, decision)
    if (decision.finish !== null) await store.finish(tx, id, decision.finish, new Date(clock.now()))
    return decision.finish === null && decision.offline.length + decision.exclude.length + decision.skip.length > 0
  }

  async #store(tx: Transaction, id: number, { begin, offline, exclude, skip, reason }: UpgradeDecision): Promise<void> {
    const { store } = this.#options
    const set = (nodeIds: readonly number[], state: UpgradeTargetState, message: string) =>
      store.updateTargets(tx, id, nodeIds, { state, message })
    await set(begin, 'upgrading', '')
    await set(offline, 'offline', 'The node is offline. It is upgraded when it is connected again.')
    await set(exclude, 'skipped', notAccepted)
    await set(skip, 'skipped', reason)
  }

  /** Ends an upgrade to a version that the control plane does not have any more. */
  async #withoutPackage({ version, targets }: UpgradeNow): Promise<UpgradeDecision | undefined> {
    const waiting = targets.filter(({ state }) => state === 'waiting')
    const packages = await this.#options.listPackages()
    if (waiting.length === 0 || packages.some((one) => one.version === version)) return undefined
    const reason = `The control plane has no signed package of roost-agent ${version}. Add it with: roost packages add FILE`
    const skip = waiting.map(({ nodeId }) => nodeId)
    return { begin: [], offline: [], exclude: [], skip, reason, finish: null }
  }

  /** Begins with the nodes that were offline, once they are back. A node that failed stops the others. */
  async #admitReturned(tx: Transaction, { id, targets }: UpgradeNow): Promise<boolean> {
    const offline = targets.filter(({ state }) => state === 'offline')
    const stopped = targets.some(({ state }) => state === 'refused' || state === 'returned' || state === 'failed')
    const all = offline.map(({ nodeId }) => nodeId)
    const withAccess = (access: NodeAccess) => all.filter((nodeId) => this.#accessOf(nodeId) === access)
    const none = { begin: [], offline: [], exclude: [], skip: [], reason: '', finish: null }
    const reason = 'Not started, because the upgrade of another node failed.'
    await this.#store(
      tx,
      id,
      stopped
        ? { ...none, skip: all, reason }
        : { ...none, begin: withAccess('connected'), exclude: withAccess('not-accepted') },
    )
    return false
  }

  async #expire(tx: Transaction, { id, targets }: UpgradeNow): Promise<boolean> {
    const { store, clock } = this.#options
    const expired: number[] = []
    for (const { nodeId, state } of targets) {
      const key = `${id}/${nodeId}`
      if (state !== 'upgrading') this.#deadlines.delete(key)
      else if (!this.#deadlines.has(key)) this.#deadlines.set(key, clock.monotonic() + targetMs)
      else if ((this.#deadlines.get(key) ?? 0) <= clock.monotonic()) expired.push(nodeId)
    }
    const message = `The upgrade did not end within ${targetMs / 60_000} minutes. Check the agent of the node.`
    await store.updateTargets(tx, id, expired, { state: 'failed', message })
    return expired.length > 0
  }

  #accessOf(nodeId: number): NodeAccess {
    const { channel } = this.#options
    const agent = channel.agentOf(nodeId)
    if (agent === undefined) return channel.mayReconnect(nodeId) ? 'reconnecting' : 'offline'
    return agent.capabilities.has(upgradeCapability) ? 'connected' : 'not-accepted'
  }

  #ask(upgrade: UpgradeNow, nodeId: number): void {
    const key = `${upgrade.id}/${nodeId}`
    if (this.#asking.has(key) || !this.#options.channel.isConnected(nodeId)) return
    this.#asking.add(key)
    this.#loop.track(
      this.#askNode(upgrade, nodeId)
        .catch((error: unknown) =>
          this.#options.log.warn({ ...logged(error), nodeId }, 'could not advance the upgrade of a node, retrying'),
        )
        .finally(() => this.#asking.delete(key)),
    )
  }

  async #askNode({ id, name, version }: UpgradeNow, nodeId: number): Promise<void> {
    const { store, requests, channel, listPackages } = this.#options
    const installed = channel.agentOf(nodeId)?.agentVersion
    const packages = (await listPackages()).filter((one) => one.version === version || one.version === installed)
    const request = { upgrade: name, version, packages: packages.slice(0, maxPackages) }
    const answer = await requests.ask(nodeId, 'upgrade', request, answerMs)
    // A node that restarts its agent does not answer: its deadline decides.
    if ('error' in answer) return
    await store.transaction((tx) => store.updateTargets(tx, id, [nodeId], changeOf(answer.result)))
    if (changeOf(answer.result).state !== 'upgrading') this.wake()
  }
}

function changeOf({ state, message }: AgentUpgradeProgress): {
  readonly state: UpgradeTargetState
  readonly message: string
} {
  if (state === 'installed' || state === 'refused' || state === 'returned' || state === 'failed')
    return { state, message }
  return { state: 'upgrading', message: message === '' ? state : `${state}: ${message}` }
}
