import { idOfUri } from '@roost/api-types/rest'
import type { MetricService } from '@roost/api-types/rpc'

/** What is read of each node, by the names under which agents report it. */
export const healthMetrics = {
  asyncPending: 'recon.object.async_pending',
  account: 'recon.account.replication.age',
  container: 'recon.container.replication.age',
  object: 'replication.ALL.age',
  accounts: 'recon.account.quarantined',
  containers: 'recon.container.quarantined',
  objects: 'recon.object.quarantined',
  objectsOfPolicies: 'recon.object.quarantined_of_policy.*',
  unmounted: 'recon.object.unmounted',
} as const

export interface Sample {
  readonly value: number
  /** When it was read, in Unix seconds. */
  readonly time: number
}
/** A node's samples by name; what is not fresh is not there. */
export type Samples = ReadonlyMap<string, Sample>

/** Reads the fresh samples of each node. */
export async function readSamples(
  metrics: Pick<MetricService, 'across'>,
  clusterId: number,
): Promise<ReadonlyMap<number, Samples>> {
  const found = new Map<number, Map<string, Sample>>()
  for await (const slice of await metrics.across(clusterId, Object.values(healthMetrics)))
    for (const { node, metric_name, value, timestamp } of slice) {
      const id = idOfUri('nodes', node)
      if (id === undefined || value === null) continue
      const samples = found.get(id) ?? new Map<string, Sample>()
      found.set(id, samples.set(metric_name, { value, time: timestamp }))
    }
  return found
}
