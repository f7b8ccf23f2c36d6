import type { Inventory } from '@roost/api-types/agent'
import type { Prisma } from '@roost/database'
import { lockInserts } from '../database/insert-order.js'
import type { NodeRow } from './inventory-devices-store.js'

/**
 * Takes over the policies that a node names. What nodes with rings name, nodes without have no say in: only their own configuration
 * makes them up. One that it does not name goes when no other node named it last and no device of
 * another node is assigned to it: nodes learn of a new swift.conf one after the other.
 */
export async function storePolicies(
  tx: Prisma.TransactionClient,
  { id: nodeId, clusterId }: NodeRow,
  { policies, rings }: Pick<Inventory, 'policies' | 'rings'>,
): Promise<void> {
  if (policies === null) return
  const known = await tx.storagePolicy.findMany({ where: { clusterId } })
  const byIndex = new Map(known.map((policy) => [policy.index, policy]))
  const rows = policies.map((policy) => ({
    index: policy.index,
    name: policy.name,
    aliases: policy.aliases,
    isDefault: policy.is_default,
    isDeprecated: policy.is_deprecated,
    type: policy.type,
  }))
  const added = rows.filter(({ index }) => !byIndex.has(index))
  if (added.length > 0) {
    await lockInserts(tx, 'storage_policies')
    await tx.storagePolicy.createMany({ data: added.map((row) => ({ ...row, clusterId })) })
  }
  const changed = rows.flatMap((row) => {
    const before = byIndex.get(row.index)
    return before === undefined || sameSettings(before, row) ? [] : [{ id: before.id, row }]
  })
  const settled = changed.length > 0 && rings.length === 0 ? await namedByRings(tx, nodeId, clusterId) : new Set()
  for (const { id, row } of changed)
    if (!settled.has(row.index)) await tx.storagePolicy.update({ where: { id }, data: row })
  const named = new Set(rows.map(({ index }) => index))
  const unnamed = known.filter(({ index }) => !named.has(index)).map(({ index }) => index)
  if (policies.length > 0 && unnamed.length > 0) await deleteUnused(tx, nodeId, clusterId, unnamed)
}

type Settings = Prisma.StoragePolicyCreateManyInput

function sameSettings(a: Prisma.StoragePolicyGetPayload<object>, b: Omit<Settings, 'clusterId'>): boolean {
  const settings = ({ name, aliases, isDefault, isDeprecated, type }: typeof a | typeof b) =>
    JSON.stringify([name, aliases, isDefault, isDeprecated, type])
  return settings(a) === settings(b)
}

/** Indexes of the policies that other nodes of the cluster with rings named last. */
async function namedByRings(
  tx: Prisma.TransactionClient,
  nodeId: number,
  clusterId: number,
): Promise<ReadonlySet<number>> {
  const rows = await tx.$queryRaw<{ readonly index: number }[]>`
    select distinct named::int as index
    from nodes n cross join jsonb_path_query(n.inventory, '$.policies[*].index') as named
    where n.cluster_id = ${clusterId} and n.id <> ${nodeId} and jsonb_path_exists(n.inventory, '$.rings[*]')`
  return new Set(rows.map(({ index }) => index))
}

async function deleteUnused(
  tx: Prisma.TransactionClient,
  nodeId: number,
  clusterId: number,
  indexes: readonly number[],
): Promise<void> {
  await tx.$executeRaw`
    delete from storage_policies p
    where p.cluster_id = ${clusterId} and p.index = any(${indexes}::int[])
      and not exists (
        select from nodes n cross join jsonb_path_query(n.inventory, '$.policies[*].index') as named
        where n.cluster_id = ${clusterId} and n.id <> ${nodeId} and named = to_jsonb(p.index))
      and not exists (
        select from device_policies dp join devices d on d.id = dp.device_id
        where dp.policy_id = p.id and d.node_id <> ${nodeId})`
}
