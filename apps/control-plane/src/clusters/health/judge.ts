import {
  clockSkew,
  clusterSilent,
  deploymentFailed,
  deviceMissing,
  deviceUnmounted,
  gatewayDrift,
  nodeDuplicate,
  nodeNeedsUpgrade,
  nodeSilent,
  partPowerIncrease,
  policiesDiffer,
  policyDevicesUnavailable,
  quarantined,
  replicationOld,
  ringMismatch,
  ringShort,
  roleWaits,
  swiftConfMismatch,
  swiftVersionDiffers,
} from '@roost/api-types/checks'
import type { Problem } from '@roost/api-types/checks'
import { idOfUri, waitingRoles } from '@roost/api-types/rest'
import type { NodeHealth, PolicyHealth, RingCopies, RingHealth } from '@roost/api-types/rest'
import { groupCopies } from './copies.js'
import type { Copies } from './copies.js'
import { deviations } from './deviations.js'
import { identityReasons } from './identity.js'
import type { IdentityFacts } from './identity.js'
import { byRank, ofNode, reported } from './reasons.js'
import type { Reason } from './reasons.js'
import type { UnhealthyDevice } from './device-store.js'
import type { FailedDeployment, JudgedNode } from './store.js'
import { deviceSpaceReasons, policySpaceReasons } from './space.js'
import type { SpaceFacts } from './space.js'

/** The facts of a cluster that its checks judge. */
export interface ClusterFacts extends SpaceFacts, IdentityFacts {
  /** Unix milliseconds. */
  readonly nowMs: number
  readonly nodes: readonly JudgedNode[]
  /** Seconds that the clock of a connected node is ahead of ours. */
  readonly skewOf: (nodeId: number) => number | null
  /** What the nodes that have rings report of Swift. */
  readonly healths: readonly NodeHealth[]
  readonly rings: readonly RingHealth[]
  /** The hash suffixes and prefixes of swift.conf. */
  readonly swiftConfs: Copies<{ readonly digest: string }>
  readonly policies: readonly PolicyHealth[]
  /** Devices that are unmounted, missing or failed. */
  readonly devices: readonly UnhealthyDevice[]
  readonly failedDeployments: readonly FailedDeployment[]
}

/** Judges a cluster by the list of checks, the most urgent first. Of a silent node, only its silence is a reason. */
export function judgeCluster(facts: ClusterFacts): readonly Reason[] {
  const names = new Map(facts.nodes.map(({ id, hostname }) => [id, hostname]))
  const nameOf = (id: number) => names.get(id) ?? `node ${id}`
  const silent = facts.nodes.flatMap((node) =>
    ofNode(node.id, silenceOf(node, facts.nowMs)).map((reason) => ({ ...reason, since: node.lastSeen })),
  )
  const isHeard = ({ nodeId }: Reason) => !silent.some((reason) => reason.nodeId === nodeId)
  const others = [
    ...facts.nodes.flatMap((node) => [
      ...ofNode(node.id, stateProblems(node, facts.skewOf(node.id))),
      ...node.problems.map((problem) => reported(node.id, problem)),
    ]),
    ...facts.healths.flatMap((health) => workProblems(health, facts.policies)),
    ...deviceReasons(facts.devices, nameOf),
    ...deviceSpaceReasons(facts, nameOf),
    ...deploymentReasons(facts.failedDeployments, nameOf),
    ...copyReasons(facts, nameOf),
    ...facts.rings.flatMap(partPowerReasons),
  ]
  const ofCluster = [
    ...stormReasons(facts),
    ...policyReasons(facts.devices),
    ...policySpaceReasons(facts),
    ...identityReasons(facts),
  ]
  return [...silent, ...others.filter(isHeard), ...ofCluster].toSorted(byRank)
}

/** Returns what waits for operators: alerts, and no reasons of the health, for nothing is broken. */
export function judgeTasks({ nodes }: Pick<ClusterFacts, 'nodes'>): readonly Reason[] {
  return nodes.flatMap(({ id, hostname: node, enabled: isEnabled, rolesClaimed, rolesGranted }) => {
    const roles = waitingRoles(rolesClaimed, rolesGranted).map((role) => role.slice('runs_'.length))
    return ofNode(id, roleWaits.find({ node, isEnabled, roles }))
  })
}

/** Returns the nodes on which an operator works now. */
export function inMaintenance({ nodes, nowMs }: Pick<ClusterFacts, 'nodes' | 'nowMs'>): readonly JudgedNode[] {
  return nodes.filter(({ maintenanceUntil }) => maintenanceUntil !== null && maintenanceUntil.getTime() > nowMs)
}

/** Returns the verdict that the reasons give. What concerns only a node in maintenance is expected. */
export function clusterVerdict(facts: ClusterFacts, reasons: readonly Reason[]): 'ok' | 'warn' | 'critical' {
  const ids = new Set<number | null>(inMaintenance(facts).map(({ id }) => id))
  return verdictOf(reasons.filter(({ nodeId }) => !ids.has(nodeId)))
}

function verdictOf(reasons: readonly Pick<Problem, 'severity'>[]): 'ok' | 'warn' | 'critical' {
  if (reasons.length === 0) return 'ok'
  return reasons.some(({ severity }) => severity === 'critical') ? 'critical' : 'warn'
}

/** Nodes that become silent within this time have one cause. */
const stormMs = 60_000

/** Counts the enabled nodes that became silent within one minute, where they are most. */
function stormReasons(facts: ClusterFacts): readonly Reason[] {
  const { cluster, nodes, nowMs } = facts
  const expected = new Set(inMaintenance(facts))
  const enabled = nodes.filter((node) => node.enabled && !expected.has(node))
  const times = enabled
    .flatMap(({ state, lastSeen }) => (isSilent(state) && lastSeen !== null ? [lastSeen.getTime()] : []))
    .toSorted((one, other) => one - other)
  let [silentNodes, firstMs, next] = [0, nowMs, 0]
  for (const [i, time] of times.entries()) {
    while (next < times.length && (times[next] ?? 0) - time <= stormMs) next++
    if (next - i > silentNodes) [silentNodes, firstMs] = [next - i, time]
  }
  const silentSeconds = (nowMs - firstMs) / 1_000
  // Within the first minute, others may still follow.
  if (silentSeconds * 1_000 < stormMs) return []
  return ofNode(null, clusterSilent.find({ cluster, nodes: enabled.length, silentNodes, silentSeconds }))
}

/** Whether heartbeats of the node are missing. */
export function isSilent(state: JudgedNode['state']): boolean {
  return state === 'stale' || state === 'offline'
}

function silenceOf({ hostname: node, enabled, state, lastSeen }: JudgedNode, nowMs: number): readonly Problem[] {
  const silentSeconds = lastSeen === null ? null : (nowMs - lastSeen.getTime()) / 1_000
  return nodeSilent.find({
    node,
    isEnabled: enabled,
    isSilent: isSilent(state),
    silentSeconds,
  })
}

function stateProblems(
  { hostname: node, state, configState }: JudgedNode,
  skewSeconds: number | null,
): readonly Problem[] {
  return [
    ...nodeDuplicate.find({ node, state }),
    ...nodeNeedsUpgrade.find({ node, state }),
    ...clockSkew.find({ node, skewSeconds }),
    ...gatewayDrift.find({ node, configState }),
  ]
}

const servers = ['account', 'container', 'object'] as const

function workProblems(health: NodeHealth, policies: readonly PolicyHealth[]): readonly Reason[] {
  const { node: uri, hostname: node, replication_age_seconds: ages, quarantined: counts } = health
  const nameOf = (index: string) => policies.find((policy) => String(policy.index) === index)?.copies[0]?.name ?? index
  const byPolicy = new Map(Object.entries(counts.objects_by_policy).map(([index, count]) => [nameOf(index), count]))
  return ofNode(idOfUri('nodes', uri) ?? null, [
    ...servers.flatMap((server) => replicationOld.find({ node, server, ageSeconds: ages[server] })),
    ...quarantined.find({ node, ...counts, byPolicy }),
  ])
}

/** The agent of a device that failed reports why. */
function deviceReasons(devices: readonly UnhealthyDevice[], nameOf: (id: number) => string): readonly Reason[] {
  return devices.flatMap(({ id, nodeId, name: device, status }) => {
    const facts = { node: nameOf(nodeId), device, status }
    return ofNode(nodeId, [...deviceUnmounted.find(facts), ...deviceMissing.find(facts)], id)
  })
}

const deployed = { gateway: 'shares', user_db: 'users' } as const

function deploymentReasons(
  deployments: readonly FailedDeployment[],
  nameOf: (id: number) => string,
): readonly Reason[] {
  return deployments.flatMap(({ nodeId, kind, outcome, message }) =>
    ofNode(nodeId, deploymentFailed.find({ node: nameOf(nodeId), what: deployed[kind], outcome, message })),
  )
}

function policyReasons(devices: readonly UnhealthyDevice[]): readonly Reason[] {
  const policies = new Set(devices.flatMap((device) => device.policies))
  return [...policies].flatMap((policy) => {
    const affected = devices.filter((device) => device.policies.includes(policy))
    const nodes = new Set(affected.map(({ nodeId }) => nodeId)).size
    return ofNode(null, policyDevicesUnavailable.find({ policy, devices: affected.length, nodes }))
  })
}

function copyReasons(
  { rings, swiftConfs, policies, healths }: ClusterFacts,
  nameOf: (id: number) => string,
): readonly Reason[] {
  const at = (uri: string, find: (node: string) => readonly Problem[]) => {
    const id = idOfUri('nodes', uri) ?? 0
    return ofNode(id, find(nameOf(id)))
  }
  const versions = healths.flatMap(({ node, swift_version: version }) =>
    version === null ? [] : [{ name: 'swift', copy: { version }, node }],
  )
  return [
    ...rings.flatMap(({ name: ring, copies }) =>
      deviations(copies).flatMap(({ node: uri, copy, other, others }) =>
        at(uri, (node) => [
          ...ringMismatch.find({ node, ring, md5: copy.md5, otherMd5: other.md5, others }),
          ...ringShort.find({ node, ring, assigned: assignedIn(copy), otherAssigned: assignedIn(other), others }),
        ]),
      ),
    ),
    ...deviations(swiftConfs).flatMap(({ node: uri, others }) =>
      at(uri, (node) => swiftConfMismatch.find({ node, others })),
    ),
    ...policies.flatMap(({ index, copies }) =>
      deviations(copies).flatMap(({ node: uri, copy, other, others }) =>
        at(uri, (node) => policiesDiffer.find({ node, index, name: copy.name, otherName: other.name, others })),
      ),
    ),
    ...groupCopies(versions).flatMap(([, copies]) =>
      deviations(copies).flatMap(({ node: uri, copy, other, others }) =>
        at(uri, (node) =>
          swiftVersionDiffers.find({ node, version: copy.version, otherVersion: other.version, others }),
        ),
      ),
    ),
  ]
}

/** Judges the most common file of a ring. */
function partPowerReasons({ name: ring, copies: [copy] }: RingHealth): readonly Reason[] {
  if (copy === undefined) return []
  const { partitions, next_part_power: nextPartPower } = copy
  return ofNode(null, partPowerIncrease.find({ ring, partitions, nextPartPower }))
}

/** Returns the partitions of a ring, counting each replica: the last one may have only a part of them. */
function assignedIn({ partitions, replicas }: RingCopies): number {
  return Math.round(partitions * replicas)
}
