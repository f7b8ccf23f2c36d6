import { deviceFullCritical, deviceFullWarning, fillsLimits } from '@roost/api-types/checks'
import type { InventoryService } from '@roost/api-types/agent'
import type {
  ClusterHealth,
  NodeHealth,
  Quarantined,
  ReplicationPass,
  ServiceHealth,
  StoragePolicy,
} from '@roost/api-types/rest'
import { resourceUri } from '@roost/api-types/rest'
import type { ClusterHealthService, MetricService } from '@roost/api-types/rpc'
import type { SetOutlook } from '../../capacity/outlook.js'
import type { StoredDrainedDevice, UnhealthyDevice } from './device-store.js'
import { policiesOf, ringsOf, swiftConfsOf } from './copies-of-nodes.js'
import type { ClusterHealthStore, JudgedNode, NodeWithRings } from './store.js'
import { explainHealth } from './explain.js'
import { identityRecord } from './identity.js'
import { healthMetrics, readSamples } from './metrics.js'
import type { Samples } from './metrics.js'
import { clusterVerdict, inMaintenance, judgeCluster } from './judge.js'
import { reasonRecord } from './reasons.js'
import type { Reason } from './reasons.js'
import { knownBy } from './known.js'

export interface ClusterHealthOptions {
  readonly store: ClusterHealthStore
  /** Lists the storage policies of a cluster. */
  readonly listPolicies: (clusterId: number) => Promise<readonly StoragePolicy[]>
  readonly metrics: Pick<MetricService, 'across'>
  /** How full the sets of policies of a cluster are and will be. */
  readonly outlookOf: (clusterId: number) => Promise<readonly SetOutlook[]>
  /** Throws `not_found`. */
  readonly requireCluster: (id: number) => Promise<{ readonly name: string }>
  /** Seconds that the clock of a connected node is ahead of ours; null without a connection. */
  readonly skewOf: (nodeId: number) => number | null
  /** Unix milliseconds. */
  readonly now: () => number
}

/** Judges a cluster between requests. */
export interface HealthJudge {
  judge(cluster: { readonly id: number; readonly name: string }): Promise<JudgedCluster>
}

/** A cluster as it was judged. */
export interface JudgedCluster {
  readonly id: number
  readonly name: string
  readonly nodes: readonly JudgedNode[]
  readonly verdict: ClusterHealth['verdict']
  /** Null while no node has reported a ring. */
  readonly ringsAgree: boolean | null
  readonly reasons: readonly Reason[]
  /** Whether a former problem has ended if it is not among the reasons. */
  readonly isKnown: ReturnType<typeof knownBy>
}

/** Reasons of one answer. */
const mostReasons = 1_000

const servers = ['account', 'container', 'object'] as const

export function createClusterHealthService(options: ClusterHealthOptions): ClusterHealthService & HealthJudge {
  const { requireCluster, now, skewOf } = options
  const judged = async (clusterId: number, cluster: string) => {
    const facts = { ...(await readFacts(options, clusterId)), cluster, skewOf, nowMs: now() }
    const reasons = judgeCluster(facts)
    return { ...facts, reasons, verdict: clusterVerdict(facts, reasons) }
  }
  const health: Pick<ClusterHealthService, 'ofCluster'> & HealthJudge = {
    async judge({ id, name }) {
      const facts = await judged(id, name)
      const { nodes, reasons, verdict, rings } = facts
      const ringsAgree = rings.length === 0 ? null : rings.every(({ agree }) => agree)
      return { id, name, nodes, reasons, verdict, ringsAgree, isKnown: knownBy(facts) }
    },
    async ofCluster(clusterId) {
      const { name } = await requireCluster(clusterId)
      const [facts, drained] = await Promise.all([judged(clusterId, name), options.store.listDrainedDevices(clusterId)])
      const { healths, rings, swiftConfs, policies, devices, identity, reasons, verdict } = facts
      return {
        cluster: resourceUri('clusters', clusterId),
        verdict,
        reasons: reasons.slice(0, mostReasons).map(reasonRecord),
        reason_count: reasons.length,
        maintenance: inMaintenance(facts).map(maintenanceRecord),
        rings_agree: rings.every(({ agree }) => agree),
        rings,
        swift_conf_agree: swiftConfs.length < 2,
        swift_conf: [...swiftConfs],
        policies_agree: policies.every(({ agree }) => agree),
        policies,
        async_pending: sumOf(healths.map((health) => health.async_pending)),
        oldest_replication: oldestPasses(healths, now()),
        quarantined: quarantinedOf(healths),
        unmounted: devices.map(unmountedRecord),
        drained: drained.map(drainedRecord),
        identity: identityRecord(clusterId, identity),
        drained_bytes: drained.reduce((sum, { rawBytes }) => sum + (rawBytes ?? 0), 0),
        nodes: healths,
      }
    },
  }
  return {
    ...health,
    explain: async (clusterId) => explanationOf(options, clusterId, await health.ofCluster(clusterId)),
  }
}

async function explanationOf({ store, metrics, now }: ClusterHealthOptions, clusterId: number, health: ClusterHealth) {
  const [nodes, samples] = await Promise.all([store.listJudgedNodes(clusterId), readSamples(metrics, clusterId)])
  const explained = [...explainHealth(health, { nodes, samples })]
  return { cluster: health.cluster, made: new Date(now()).toISOString(), explained }
}

async function readFacts({ store, listPolicies, metrics, outlookOf, now }: ClusterHealthOptions, clusterId: number) {
  const [nodes, withRings, stored, devices, space, failedDeployments, identity, samples] = await Promise.all([
    store.listJudgedNodes(clusterId),
    store.listNodes(clusterId),
    listPolicies(clusterId),
    store.listUnhealthyDevices(clusterId),
    readSpace(store, outlookOf, clusterId),
    store.listFailedDeployments(clusterId),
    store.findIdentity(clusterId),
    readSamples(metrics, clusterId),
  ])
  const healths = withRings.map((node) => healthOf(node, samples.get(node.id) ?? new Map(), now() / 1_000))
  return {
    nodes,
    devices,
    ...space,
    failedDeployments,
    identity,
    healths,
    rings: ringsOf(withRings),
    swiftConfs: swiftConfsOf(withRings),
    policies: policiesOf(withRings, stored),
  }
}

async function readSpace(
  store: Pick<ClusterHealthStore, 'listFullDevices' | 'listFillingDevices'>,
  outlookOf: ClusterHealthOptions['outlookOf'],
  clusterId: number,
) {
  const [fullDevices, fillingDevices, outlooks] = await Promise.all([
    store.listFullDevices(clusterId, deviceFullWarning),
    // Those that are as full as that have an alert of their own, which is critical.
    store.listFillingDevices(clusterId, { ...fillsLimits, fullPercent: deviceFullCritical }),
    outlookOf(clusterId),
  ])
  return { fullDevices, fillingDevices, outlooks }
}

function quarantinedOf(healths: readonly NodeHealth[]): Quarantined {
  const counts = healths.map(({ quarantined }) => quarantined)
  const byPolicy: Record<string, number> = {}
  for (const { objects_by_policy } of counts)
    for (const [index, count] of Object.entries(objects_by_policy)) byPolicy[index] = (byPolicy[index] ?? 0) + count
  return {
    accounts: sumOf(counts.map(({ accounts }) => accounts)),
    containers: sumOf(counts.map(({ containers }) => containers)),
    objects: sumOf(counts.map(({ objects }) => objects)),
    objects_by_policy: byPolicy,
  }
}

function drainedRecord({ id, nodeId, name, rawBytes, usedBytes }: StoredDrainedDevice) {
  const [device, node] = [resourceUri('devices', id), resourceUri('nodes', nodeId)]
  return { device, node, name, raw_bytes: rawBytes, used_bytes: usedBytes }
}

function maintenanceRecord({ id, hostname, maintenanceUntil }: JudgedNode) {
  return { node: resourceUri('nodes', id), hostname, until: maintenanceUntil?.toISOString() ?? '' }
}

function unmountedRecord({ id, nodeId, name, status }: UnhealthyDevice) {
  return { device: resourceUri('devices', id), node: resourceUri('nodes', nodeId), name, status }
}

function healthOf(
  { id, hostname, state, swiftVersion, rings, services }: NodeWithRings,
  samples: Samples,
  now: number,
): NodeHealth {
  const valueOf = (name: string) => samples.get(name)?.value ?? null
  // The value is an age at the time of its reading.
  const ageOf = (name: string) => {
    const sample = samples.get(name)
    return sample === undefined ? null : sample.value + Math.max(0, now - sample.time)
  }
  const quarantined: Quarantined = {
    accounts: valueOf(healthMetrics.accounts),
    containers: valueOf(healthMetrics.containers),
    objects: valueOf(healthMetrics.objects),
    objects_by_policy: countsOfPolicies(samples),
  }
  return {
    node: resourceUri('nodes', id),
    hostname,
    state,
    swift_version: swiftVersion,
    rings: Object.fromEntries(rings.map(({ name, md5 }) => [name, md5])),
    async_pending: valueOf(healthMetrics.asyncPending),
    replication_age_seconds: {
      account: ageOf(healthMetrics.account),
      container: ageOf(healthMetrics.container),
      object: ageOf(healthMetrics.object),
    },
    quarantined,
    unmounted: valueOf(healthMetrics.unmounted),
    services: services?.map((one) => serviceRecord(one, now)) ?? null,
  }
}

function serviceRecord({ name, file, address, state, since }: InventoryService, now: number): ServiceHealth {
  const moment = new Date(since * 1_000).toISOString()
  return { name, file, address, state, since: moment, age_seconds: Math.max(0, now - since) }
}

/** Returns the objects of each policy, by its index. */
function countsOfPolicies(samples: Samples): Record<string, number> {
  const prefix = healthMetrics.objectsOfPolicies.slice(0, -1)
  const found = [...samples].filter(([name]) => name.startsWith(prefix))
  return Object.fromEntries(found.map(([name, { value }]) => [name.slice(prefix.length), value]))
}

function oldestPasses(nodes: readonly NodeHealth[], nowMs: number): ClusterHealth['oldest_replication'] {
  const [account, container, object] = servers.map((server) => oldestPass(nodes, server, nowMs))
  return { account: account ?? null, container: container ?? null, object: object ?? null }
}

function oldestPass(
  nodes: readonly NodeHealth[],
  server: (typeof servers)[number],
  nowMs: number,
): ReplicationPass | null {
  let oldest: ReplicationPass | null = null
  for (const { node, replication_age_seconds: ages } of nodes) {
    const age = ages[server]
    if (age === null || age <= (oldest?.age_seconds ?? -1)) continue
    oldest = { node, age_seconds: age, ended: new Date(nowMs - age * 1_000).toISOString() }
  }
  return oldest
}

/** Null where no node reports it, which is not the same as none. */
function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
}
