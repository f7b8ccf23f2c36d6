import type { InventoryDevice } from '@roost/api-types/agent'
import type { Prisma } from '@roost/database'
import { lockInserts } from '../insert-order-store.js'
import type { NodeRow } from './inventory-store.js'
import { type KnownDevice, planDevices } from './plan-devices.js'

/** A device that no inventory has named for so long is not coming back. */
const forgetAfterDays = 30

/** Brings the devices of a node to what its inventory says; answers the nodes from which devices have moved here. */
export async function storeDevices(
  tx: Prisma.TransactionClient,
  node: NodeRow,
  reported: readonly InventoryDevice[],
  now: Date,
): Promise<readonly number[]> {
  const known = await listKnown(tx, node, reported)
  const { matches, inserts, gone, forgotten } = planDevices(known, reported)
  const moved = known.filter((device) => !device.isOwn && matches.some(({ id }) => id === device.id))

  await tx.device.deleteMany({ where: { id: { in: [...forgotten] } } })
  // Places are swapped, and no place may be taken twice in between.
  await tx.device.updateMany({ where: { id: { in: matches.map(({ id }) => id) } }, data: { agentKey: null } })
  await tx.device.updateMany({
    where: { id: { in: [...gone] } },
    data: { agentKey: null, status: 'missing', mountPoint: null },
  })
  await updateMatches(tx, node, matches, now)
  await insertNew(tx, node, inserts, now)
  await assignPolicies(tx, node, reported)
  await forgetLongGone(tx, node, now)
  return moved.map(({ nodeId }) => nodeId)
}

interface KnownRow extends KnownDevice {
  readonly nodeId: number
}

/**
 * The node's own devices, and those of its cluster's other nodes that could have moved here: the same filesystem, which the other node
 * does not have mounted now, or it is not there to say so.
 */
async function listKnown(
  tx: Prisma.TransactionClient,
  { id: nodeId, clusterId }: NodeRow,
  reported: readonly InventoryDevice[],
): Promise<readonly KnownRow[]> {
  const uuids = reported.flatMap(({ uuid }) => uuid ?? [])
  return tx.$queryRaw<KnownRow[]>`
    select d.id, d.node_id as "nodeId", d.node_id = ${nodeId} as "isOwn", d.agent_key as key, d.name,
      d.fs_uuid as uuid, d.serial
    from devices d join nodes n on n.id = d.node_id
    where d.node_id = ${nodeId} or (
      d.cluster_id = ${clusterId} and d.fs_uuid = any(${uuids}::text[])
      and (d.agent_key is null or d.status in ('unmounted', 'missing') or n.state = 'offline'))
    order by d.id`
}

/** Columns as the database names them. What a device does not show at the moment stays known. */
function columnsOf(device: InventoryDevice, node: NodeRow, now: Date) {
  const { figures, status } = device
  const isSeen = status === 'ok' || status === 'unmanaged' || figures !== null
  return {
    clusterId: node.clusterId,
    nodeId: node.id,
    agentKey: device.key,
    name: device.name,
    fsUuid: device.uuid,
    serial: device.serial,
    model: device.model,
    mountPoint: device.mount_point,
    fsType: device.fs_type,
    isRotational: device.is_rotational,
    sizeBytes: bigint(device.size_bytes),
    totalBytes: bigint(figures?.total_bytes ?? null),
    freeBytes: bigint(figures?.free_bytes ?? null),
    availableBytes: bigint(figures?.available_bytes ?? null),
    status,
    lastSeen: isSeen ? now : null,
  }
}

function bigint(value: number | null): bigint | null {
  return value === null ? null : BigInt(value)
}

type Match = { readonly id: number; readonly device: InventoryDevice }

async function updateMatches(
  tx: Prisma.TransactionClient,
  node: NodeRow,
  matches: readonly Match[],
  now: Date,
): Promise<void> {
  for (const { id, device } of matches) {
    const { mountPoint, ...columns } = columnsOf(device, node, now)
    const told = Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== null))
    await tx.device.update({ where: { id }, data: { ...told, mountPoint }, select: { id: true } })
  }
}

async function insertNew(
  tx: Prisma.TransactionClient,
  node: NodeRow,
  inserts: readonly InventoryDevice[],
  now: Date,
): Promise<void> {
  if (inserts.length === 0) return
  await lockInserts(tx, 'devices')
  await tx.device.createMany({ data: inserts.map((device) => columnsOf(device, node, now)) })
}

/** A device that is gone belongs to no policy: the ring has another in its place, or none. */
async function assignPolicies(
  tx: Prisma.TransactionClient,
  { id: nodeId, clusterId }: NodeRow,
  reported: readonly InventoryDevice[],
): Promise<void> {
  const pairs = reported.flatMap(({ key, policies }) => policies.map((index) => ({ key, index })))
  const wanted = JSON.stringify(pairs)
  await tx.$executeRaw`
    delete from device_policies dp using devices d, storage_policies p
    where dp.device_id = d.id and dp.policy_id = p.id and d.node_id = ${nodeId}
      and not exists (
        select from jsonb_to_recordset(${wanted}::jsonb) as w(key text, index int)
        where w.key = d.agent_key and w.index = p.index and p.cluster_id = ${clusterId})`
  await tx.$executeRaw`
    insert into device_policies (device_id, policy_id)
    select d.id, p.id from jsonb_to_recordset(${wanted}::jsonb) as w(key text, index int)
    join devices d on d.node_id = ${nodeId} and d.agent_key = w.key
    join storage_policies p on p.cluster_id = ${clusterId} and p.index = w.index
    on conflict do nothing`
}

async function forgetLongGone(tx: Prisma.TransactionClient, { id: nodeId }: NodeRow, now: Date): Promise<void> {
  const before = new Date(now.getTime() - forgetAfterDays * 86_400_000)
  await tx.device.deleteMany({
    where: { nodeId, agentKey: null, OR: [{ lastSeen: null }, { lastSeen: { lt: before } }] },
  })
}
