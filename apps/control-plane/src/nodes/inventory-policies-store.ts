import type { Inventory, InventoryPolicy } from '@roost/api-types/agent'
import type { Prisma } from '@roost/database'
import { lockInserts } from '../database/insert-order.js'
import type { NodeRow } from './inventory-devices-store.js'
import { storePolicyFacts } from './inventory-policy-facts-store.js'

/**
 * Applies the policies that a node names. An existing policy changes only to what most nodes of the cluster name; nodes without
 * rings have no vote beside nodes with rings. A policy that the node does not name is removed when no other node named it last and
 * no device of another node is assigned to it: nodes learn of a new swift.conf one after the other.
 */
export async function storePolicies(
  tx: Prisma.TransactionClient,
  { id: nodeId, clusterId }: NodeRow,
  { policies, rings }: Pick<Inventory, 'policies' | 'rings'>,
): Promise<void> {
  if (policies === null) return
  const known = await tx.storagePolicy.findMany({ where: { clusterId } })
  const byIndex = new Map(known.map((policy) => [policy.index, policy]))
  const added = policies.filter(({ index }) => !byIndex.has(index))
  if (added.length > 0) {
    await lockInserts(tx, 'storage_policies')
    await tx.storagePolicy.createMany({ data: added.map((policy) => ({ ...columnsOf(policy), clusterId })) })
  }
  const differing = policies.filter((policy) => {
    const before = byIndex.get(policy.index)
    return before !== undefined && definitionOf(columnsOf(policy)) !== definitionOf(before)
  })
  await applyMajority(tx, clusterId, byIndex, differing)
  await storePolicyFacts(tx, clusterId, { policies, rings })
  const named = new Set(policies.map(({ index }) => index))
  const unnamed = known.filter(({ index }) => !named.has(index)).map(({ index }) => index)
  if (policies.length > 0 && unnamed.length > 0) await deleteUnused(tx, nodeId, clusterId, unnamed)
}

type StoredPolicy = Prisma.StoragePolicyGetPayload<object>
type Columns = Pick<StoredPolicy, 'index' | 'name' | 'aliases' | 'isDefault' | 'isDeprecated' | 'type'>

function columnsOf(policy: InventoryPolicy): Columns {
  const { index, name, aliases, is_default: isDefault, is_deprecated: isDeprecated, type } = policy
  return { index, name, aliases, isDefault, isDeprecated, type }
}

function definitionOf({ name, aliases, isDefault, isDeprecated, type }: Columns): string {
  return JSON.stringify([name, aliases, isDefault, isDeprecated, type])
}

/** Changes policies to the definition that most nodes have now. With as many nodes for the stored one, it stays. */
async function applyMajority(
  tx: Prisma.TransactionClient,
  clusterId: number,
  known: ReadonlyMap<number, StoredPolicy>,
  differing: readonly InventoryPolicy[],
): Promise<void> {
  if (differing.length === 0) return
  const votes = await countVotes(
    tx,
    clusterId,
    differing.map(({ index }) => index),
  )
  for (const { index } of differing) {
    const before = known.get(index)
    const ranked = votes.filter((vote) => vote.policy.index === index)
    const votesOf = (policy: Columns) =>
      ranked.find((vote) => definitionOf(columnsOf(vote.policy)) === definitionOf(policy))?.nodes ?? 0
    const [best] = ranked
    if (before === undefined || best === undefined || best.nodes <= votesOf(before)) continue
    await tx.storagePolicy.update({ where: { id: before.id }, data: columnsOf(best.policy) })
  }
}

/** Returns each definition of these policies with the number of nodes that named it last, the most first. */
function countVotes(
  tx: Prisma.TransactionClient,
  clusterId: number,
  indexes: readonly number[],
): Promise<readonly { readonly policy: InventoryPolicy; readonly nodes: number }[]> {
  return tx.$queryRaw`
    with voters as (
      select inventory, jsonb_path_exists(inventory, '$.rings[*]') as has_rings from nodes where cluster_id = ${clusterId}
    )
    select policy, count(*)::int as nodes
    from voters v cross join jsonb_path_query(v.inventory, '$.policies[*]') as policy
    where (policy ->> 'index')::int = any(${indexes}::int[])
      and (v.has_rings or not exists (select from voters where has_rings))
    group by policy order by nodes desc, policy`
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
