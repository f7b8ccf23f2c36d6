import { deviceFullCritical, deviceFullWarning, fillsLimits } from '@roost/api-types/checks'
import type { ClusterHealth, StoragePolicy } from '@roost/api-types/rest'
import { resourceUri } from '@roost/api-types/rest'
import type { ClusterHealthService, MetricService } from '@roost/api-types/rpc'
import type { SetOutlook } from '../../capacity/outlook.js'
import type { StoredDrainedDevice, UnhealthyDevice } from './device-store.js'
import { policiesOf, ringsOf, swiftConfsOf } from './copies-of-nodes.js'
import type { ClusterHealthStore, JudgedNode } from './store.js'
import { explainHealth } from './explain.js'
import { identityRecord } from './identity.js'
import { readSamples } from './metrics.js'
import { healthOf, oldestPasses, quarantinedOf, sumOf } from './node-health.js'
import { clusterVerdict, inMaintenance, judgeCluster, judgeTasks } from './judge.js'
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
  /** What waits for operators, and is no reason of the health. */
  readonly tasks: readonly Reason[]
  /** Whether a former problem has ended if it is not among the reasons. */
  readonly isKnown: ReturnType<typeof knownBy>
}

/** Reasons of one answer. */
const mostReasons = 1_000

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
      const tasks = judgeTasks(facts)
      return { id, name, nodes, reasons, tasks, verdict, ringsAgree, isKnown: knownBy(facts) }
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
