import type { InventoryDevice } from '@roost/api-types/agent'
import { advisoryLocks } from '@roost/database'
import type { Prisma } from '@roost/database'
import { lockInserts } from '../database/insert-order.js'
import { type DevicePlan, type KnownDevice, planDevices } from './plan-devices.js'

/** The columns of a node that storing its inventory needs. */
export interface NodeRow {
  readonly id: number
  readonly clusterId: number
  readonly operatorFields: readonly string[]
  readonly inventorySequence: bigint
}

/** A device that no inventory has named for so long is not coming back. */
const forgetAfterDays = 30

/** Makes the devices of a node equal to its inventory; returns the nodes from which devices have moved here. */
export async function storeDevices(
  tx: Prisma.TransactionClient,
  node: NodeRow,
  reported: readonly InventoryDevice[],
  now: Date,
): Promise<readonly number[]> {
  const known = await lockKnown(tx, node, reported)
  const plan = planDevices(known, reported)
  const { matches, inserts, forgotten } = plan
  const byId = new Map(known.map((device) => [device.id, device]))
  const moved = matches.flatMap(({ id }) => byId.get(id) ?? []).filter(({ isOwn }) => !isOwn)
  const replaced = matches.filter(({ id, device }) => byId.get(id)?.key !== device.key).map(({ id }) => id)

  await clearKeys(tx, replaced, plan)
  await deleteForgotten(tx, node, forgotten, now)
  await updateMatches(tx, node, matches, new Set(plan.stillMounted))
  await insertNew(tx, node, inserts)
  await storeUsage(tx, node, reported, now)
  await assignPolicies(tx, node, reported)
  return moved.map(({ nodeId }) => nodeId)
}

interface KnownRow extends KnownDevice {
  readonly nodeId: number
}

/**
 * The node's own devices, and those of its cluster's other nodes that could have moved here: the same filesystem, which
 * the other node does not have mounted now, or it is not there to say so. Their usage is written at the same time, in
 * batches: both lock in the order of the ids.
 */
async function lockKnown(
  tx: Prisma.TransactionClient,
  { id: nodeId, clusterId }: NodeRow,
  reported: readonly InventoryDevice[],
): Promise<readonly KnownRow[]> {
  const uuids = reported.flatMap(({ uuid }) => uuid ?? [])
  return tx.$queryRaw<KnownRow[]>`
    with candidates as (
      select id from devices where node_id = ${nodeId}
      union
      select d.id from devices d join nodes n on n.id = d.node_id
      where d.fs_uuid = any(${uuids}::text[]) and d.cluster_id = ${clusterId}
        and (d.agent_key is null or d.status in ('unmounted', 'missing') or n.state = 'offline')
    )
    select d.id, d.node_id as "nodeId", d.node_id = ${nodeId} as "isOwn", d.agent_key as key, d.name,
      d.fs_uuid as uuid, d.serial, d.status
    from devices d where d.id in (select id from candidates) order by d.id for no key update`
}

/** Clears the keys first: devices swap them, and a key must not be used twice in between. A missing device has no key. */
async function clearKeys(
  tx: Prisma.TransactionClient,
  replaced: readonly number[],
  { missing, retired }: Pick<DevicePlan<InventoryDevice>, 'missing' | 'retired'>,
): Promise<void> {
  const gone = [...missing, ...retired]
  if (replaced.length + gone.length === 0) return
  await tx.$executeRaw`
    update devices set agent_key = null,
      status = case when id = any(${missing}::int[]) then 'missing' when id = any(${retired}::int[]) then 'retired'
        else status end,
      mount_point = case when id = any(${gone}::int[]) then null else mount_point end,
      rings = case when id = any(${gone}::int[]) then '[]' else rings end
    where id = any(${[...replaced, ...gone]}::int[])`
}

async function deleteForgotten(
  tx: Prisma.TransactionClient,
  { id: nodeId }: NodeRow,
  forgotten: readonly number[],
  now: Date,
): Promise<void> {
  const oldest = new Date(now.getTime() - forgetAfterDays * 86_400_000)
  await tx.$executeRaw`
    delete from devices d where id = any(${forgotten}::int[])
      or (node_id = ${nodeId} and agent_key is null
        and not exists (select from device_usage u where u.device_id = d.id and u.last_seen >= ${oldest}))`
}

/** A device as the columns of `recordset` name it. */
function rowOf({ status, ...device }: InventoryDevice) {
  return {
    key: device.key,
    name: device.name,
    uuid: device.uuid,
    serial: device.serial,
    model: device.model,
    mount_point: device.mount_point,
    fs_type: device.fs_type,
    is_rotational: device.is_rotational,
    size: device.size_bytes,
    rings: device.rings ?? [],
    status,
  }
}

interface Match {
  readonly id: number
  readonly device: InventoryDevice
}

/** Keeps what a device does not show at the moment. */
async function updateMatches(
  tx: Prisma.TransactionClient,
  node: NodeRow,
  matches: readonly Match[],
  retired: ReadonlySet<number>,
): Promise<void> {
  if (matches.length === 0) return
  const rowsOf = ({ id, device }: Match) => ({
    id,
    ...rowOf(device),
    ...(retired.has(id) ? { status: 'retired' } : {}),
  })
  const rows = JSON.stringify(matches.map(rowsOf))
  await tx.$executeRaw`
    update devices d set node_id = ${node.id}, agent_key = r.key, name = r.name, status = r.status,
      mount_point = r.mount_point,
      fs_uuid = coalesce(r.uuid, d.fs_uuid), serial = coalesce(r.serial, d.serial), model = coalesce(r.model, d.model),
      fs_type = coalesce(r.fs_type, d.fs_type), is_rotational = coalesce(r.is_rotational, d.is_rotational),
      size_bytes = coalesce(r.size, d.size_bytes), rings = r.rings
    from jsonb_to_recordset(${rows}::jsonb) as r(id int, key text, name text, uuid text, serial text, model text,
      mount_point text, fs_type text, is_rotational boolean, size bigint, rings jsonb, status text)
    where d.id = r.id`
}

async function insertNew(
  tx: Prisma.TransactionClient,
  node: NodeRow,
  inserts: readonly InventoryDevice[],
): Promise<void> {
  if (inserts.length === 0) return
  await lockInserts(tx, 'devices')
  const rows = JSON.stringify(inserts.map((device) => rowOf(device)))
  await tx.$executeRaw`
    insert into devices (cluster_id, node_id, agent_key, name, fs_uuid, serial, model, mount_point, fs_type,
      is_rotational, size_bytes, rings, status)
    select ${node.clusterId}::int, ${node.id}::int, key, name, uuid, serial, model, mount_point, fs_type,
      is_rotational, size, rings, status
    from jsonb_to_recordset(${rows}::jsonb) as r(key text, name text, uuid text, serial text, model text,
      mount_point text, fs_type text, is_rotational boolean, size bigint, rings jsonb, status text)`
}

/** Stores the usage of all devices of the inventory. What could not be read stays as it was. */
async function storeUsage(
  tx: Prisma.TransactionClient,
  { id: nodeId }: NodeRow,
  reported: readonly InventoryDevice[],
  now: Date,
): Promise<void> {
  if (reported.length === 0) return
  const rows = reported.map(({ key, status, figures: space }) => ({
    key,
    total: space?.total_bytes ?? null,
    free: space?.free_bytes ?? null,
    available: space?.available_bytes ?? null,
    seen: status === 'ok' || status === 'unmanaged' || space !== null ? now.toISOString() : null,
  }))
  await tx.$executeRaw`select pg_advisory_xact_lock(${advisoryLocks.deviceUsage}::bigint)`
  await tx.$executeRaw`
    insert into device_usage as u (device_id, total_bytes, free_bytes, available_bytes, last_seen)
    select d.id, r.total, r.free, r.available, r.seen
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as r(key text, total bigint, free bigint, available bigint, seen timestamptz)
      join devices d on d.node_id = ${nodeId} and d.agent_key = r.key
    on conflict (device_id) do update set total_bytes = coalesce(excluded.total_bytes, u.total_bytes),
      free_bytes = coalesce(excluded.free_bytes, u.free_bytes),
      available_bytes = coalesce(excluded.available_bytes, u.available_bytes),
      last_seen = coalesce(excluded.last_seen, u.last_seen)`
}

/** A device that is gone belongs to no policy: the ring has another in its place, or none. */
async function assignPolicies(
  tx: Prisma.TransactionClient,
  { id: nodeId, clusterId }: NodeRow,
  reported: readonly InventoryDevice[],
): Promise<void> {
  const pairs = reported.flatMap(({ key, policies }) => policies.map((index) => ({ key, index })))
  await tx.$executeRaw`
    with wanted as materialized (
      select d.id as device_id, p.id as policy_id
      from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as w(key text, index int)
      join devices d on d.node_id = ${nodeId} and d.agent_key = w.key
      join storage_policies p on p.cluster_id = ${clusterId} and p.index = w.index
    ), dropped as (
      delete from device_policies dp using devices d
      where d.node_id = ${nodeId} and dp.device_id = d.id
        and (dp.device_id, dp.policy_id) not in (select device_id, policy_id from wanted)
    )
    insert into device_policies (device_id, policy_id) select device_id, policy_id from wanted on conflict do nothing`
}
