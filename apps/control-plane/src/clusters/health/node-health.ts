import type { InventoryService } from '@roost/api-types/agent'
import { resourceUri } from '@roost/api-types/rest'
import type { ClusterHealth, NodeHealth, Quarantined, ReplicationPass, ServiceHealth } from '@roost/api-types/rest'
import { healthMetrics } from './metrics.js'
import type { Samples } from './metrics.js'
import type { NodeWithRings } from './store.js'

const servers = ['account', 'container', 'object'] as const

/** Returns the health of a node by its latest samples; `now` in Unix seconds. */
export function healthOf(
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

/** Sums what the nodes of a cluster have in quarantine. */
export function quarantinedOf(healths: readonly NodeHealth[]): Quarantined {
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

/** Returns the pass of replication that ended first, by server; null where no node reports one. */
export function oldestPasses(nodes: readonly NodeHealth[], nowMs: number): ClusterHealth['oldest_replication'] {
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

/** Returns null where no node reports it, which is not the same as none. */
export function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
}
