import type { UpgradeTargetState } from '@roost/api-types/rest'
import { counted } from '@roost/runtime'

export interface UpgradeTargetNow {
  readonly nodeId: number
  readonly hostname: string
  readonly wave: number
  readonly state: UpgradeTargetState
  readonly message: string
}

/** What is known of a node now. */
export type NodeAccess = 'connected' | 'reconnecting' | 'offline' | 'not-accepted'

export interface UpgradeDecision {
  readonly begin: readonly number[]
  /** They get the upgrade when they return. */
  readonly offline: readonly number[]
  /** Their agents accept no upgrades. */
  readonly exclude: readonly number[]
  /** They are not upgraded, because of `reason`. */
  readonly skip: readonly number[]
  readonly reason: string
  readonly finish: { readonly state: 'COMPLETED_SUCCESS' | 'COMPLETED_FAILED'; readonly message: string } | null
}

const nothing: UpgradeDecision = { begin: [], offline: [], exclude: [], skip: [], reason: '', finish: null }
const broken: readonly UpgradeTargetState[] = ['refused', 'returned', 'failed']

/** The state machine of an upgrade, without any effect of its own. */
export function decideUpgrade(
  targets: readonly UpgradeTargetNow[],
  accessOf: (nodeId: number) => NodeAccess,
): UpgradeDecision {
  const waiting = inState(targets, 'waiting')
  const stop = reasonToStop(targets)
  if (stop !== undefined && waiting.length > 0) return { ...nothing, skip: idsOf(waiting), reason: stop }
  if (waiting.length === 0)
    return inState(targets, 'upgrading').length > 0 ? nothing : { ...nothing, finish: endOf(targets) }
  const wave = Math.min(...[...waiting, ...inState(targets, 'upgrading')].map((target) => target.wave))
  const due = waiting.filter((target) => target.wave === wave)
  const withAccess = (access: NodeAccess) => idsOf(due.filter(({ nodeId }) => accessOf(nodeId) === access))
  return {
    ...nothing,
    begin: withAccess('connected'),
    offline: withAccess('offline'),
    exclude: withAccess('not-accepted'),
  }
}

/** Returns why the nodes that have not begun are left alone; undefined while they are not. */
function reasonToStop(targets: readonly UpgradeTargetNow[]): string | undefined {
  const failed = targets.find(({ state }) => broken.includes(state))
  if (failed !== undefined) return `Not started, because the upgrade of ${failed.hostname} failed.`
  const canaries = targets.filter(({ wave }) => wave === 1)
  const isTried = canaries.every(({ state }) => state !== 'waiting' && state !== 'upgrading')
  const isProven = canaries.some(({ state }) => state === 'installed')
  if (canaries.length === 0 || !isTried || isProven) return undefined
  return 'Not started, because no canary was upgraded.'
}

/** Returns the end of an upgrade on all nodes that it concerns. */
function endOf(targets: readonly UpgradeTargetNow[]): NonNullable<UpgradeDecision['finish']> {
  if (targets.length === 0) return { state: 'COMPLETED_FAILED', message: 'The cluster has no enabled nodes.' }
  const failed = targets.filter(({ state }) => broken.includes(state))
  if (failed.length > 0) {
    const [first] = failed as [UpgradeTargetNow]
    // Those that are offline are skipped when they return.
    const others = counted([...inState(targets, 'skipped'), ...inState(targets, 'offline')].length, 'node')
    return { state: 'COMPLETED_FAILED', message: `${first.hostname}: ${first.message} Not changed: ${others}.` }
  }
  const offline = inState(targets, 'offline').length
  const skipped = inState(targets, 'skipped')
  const [left] = skipped
  const isDone = inState(targets, 'installed').length > 0 || offline > 0
  if (!isDone || skipped.some(({ wave }) => wave > 0))
    return { state: 'COMPLETED_FAILED', message: left?.message ?? 'No node was upgraded.' }
  const returning = offline === 0 ? '' : `Offline, upgraded when connected again: ${counted(offline, 'node')}.`
  return { state: 'COMPLETED_SUCCESS', message: returning }
}

/** Returns the progress in percent: each target counts by whether it has ended. */
export function upgradeProgress(state: string, targets: readonly Pick<UpgradeTargetNow, 'state'>[]): number {
  if (state.startsWith('COMPLETED')) return 100
  const open = targets.filter((target) => target.state === 'waiting' || target.state === 'upgrading').length
  return targets.length === 0 ? 0 : Math.floor((100 * (targets.length - open)) / targets.length)
}

function inState(targets: readonly UpgradeTargetNow[], state: UpgradeTargetState): readonly UpgradeTargetNow[] {
  return targets.filter((target) => target.state === state)
}

function idsOf(targets: readonly UpgradeTargetNow[]): readonly number[] {
  return targets.map(({ nodeId }) => nodeId)
}
