import { isDeepStrictEqual } from 'node:util'
import type { Inventory, InventoryErasureCode } from '@roost/api-types/agent'
import type { Prisma } from '@roost/database'

/**
 * Stores the erasure codes and the numbers of replicas of a cluster's policies, each as most nodes report it. Nodes are only
 * counted when this one reports another value than the stored one.
 */
export async function storePolicyFacts(
  tx: Prisma.TransactionClient,
  clusterId: number,
  { policies, rings }: Pick<Inventory, 'policies' | 'rings'>,
): Promise<void> {
  const known = await tx.storagePolicy.findMany({ where: { clusterId } })
  for (const { id, index, ec, replicas } of known) {
    const reported = policies?.find((policy) => policy.index === index)?.ec
    if (reported !== undefined && !isDeepStrictEqual(reported, ec)) {
      const most = await mostFrequentCode(tx, clusterId, index)
      if (most !== undefined) await tx.storagePolicy.update({ where: { id }, data: { ec: most } })
    }
    const ring = rings.find(({ name }) => name === ringOf(index))
    if (ring !== undefined && ring.replicas !== replicas) {
      const most = await mostFrequentReplicas(tx, clusterId, ringOf(index))
      if (most !== undefined) await tx.storagePolicy.update({ where: { id }, data: { replicas: most } })
    }
  }
}

function ringOf(index: number): string {
  return index === 0 ? 'object' : `object-${index}`
}

async function mostFrequentCode(tx: Prisma.TransactionClient, clusterId: number, index: number) {
  const rows = await tx.$queryRaw<{ readonly ec: InventoryErasureCode }[]>`
    select policy -> 'ec' as ec
    from nodes n cross join jsonb_path_query(n.inventory, '$.policies[*]') as policy
    where n.cluster_id = ${clusterId} and (policy ->> 'index')::int = ${index} and policy ? 'ec'
    group by policy -> 'ec' order by count(*) desc, policy -> 'ec' limit 1`
  return rows[0]?.ec
}

async function mostFrequentReplicas(tx: Prisma.TransactionClient, clusterId: number, ring: string) {
  const rows = await tx.$queryRaw<{ readonly replicas: number }[]>`
    select (ring ->> 'replicas')::float8 as replicas
    from nodes n cross join jsonb_path_query(n.inventory, '$.rings[*]') as ring
    where n.cluster_id = ${clusterId} and ring ->> 'name' = ${ring}
    group by replicas order by count(*) desc, replicas desc limit 1`
  return rows[0]?.replicas
}
