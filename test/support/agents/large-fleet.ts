import type { Database } from '@roost/database'
import { addPolicy } from './fleet-rows.js'

export interface LargeFleet {
  readonly nodes: number
  readonly devicesPerNode: number
}

/**
 * Adds nodes `node-00001` and so on with their devices, as enrollments and inventories leave them. A control plane reads the
 * usage of devices when it starts.
 */
export async function addLargeFleet(
  database: Pick<Database, 'pool' | 'prisma'>,
  clusterId: number,
  { nodes, devicesPerNode }: LargeFleet,
): Promise<void> {
  const { pool } = database
  const policy = await addPolicy(database, clusterId, 0, 'gold')
  await pool.query(
    `insert into nodes (uuid, cluster_id, hostname, public_key, machine_id, boot_id, other_ips, operator_fields,
       cpu_cores, memory_bytes, cluster_facing_ip, agent_version, config_state)
     select gen_random_uuid(), $1::int, 'node-' || lpad(i::text, 5, '0'), decode(md5('a' || i) || md5('b' || i), 'hex'),
       'machine' || i, 'boot' || i, '{}', '{}', 8 * (1 + i % 4), 68719476736, '10.' || i / 65536 || '.' || i / 256 % 256 || '.' || i % 256,
       '0.2.0', 'synced'
     from generate_series(1, $2::int) i`,
    [clusterId, nodes],
  )
  await pool.query(
    `insert into node_roles (node_id, runs_object, runs_proxy, runs_gateway, runs_account_container)
     select id, true, false, false, false from nodes where cluster_id = $1`,
    [clusterId],
  )
  await pool.query(
    `insert into devices (cluster_id, node_id, name, agent_key, fs_uuid, serial, model, mount_point, fs_type, is_rotational, size_bytes, status)
     select n.cluster_id, n.id, 'd' || i, 'd' || i, gen_random_uuid()::text, 'S' || n.id || 'X' || i, 'Simulated 18 TB', '/srv/node/d' || i, 'xfs', true,
       18000000000000, 'ok'
     from nodes n, generate_series(1, $2::int) i where n.cluster_id = $1 order by n.id, i`,
    [clusterId, devicesPerNode],
  )
  // Between 50 and 80 % full, no two nodes alike.
  await pool.query(
    `insert into device_usage (device_id, total_bytes, free_bytes, available_bytes, last_seen)
     select id, 18000000000000, free, free, now()
     from (select id, 3600000000000 + (id * 7919 % 5400) * 1000000000::bigint as free from devices where cluster_id = $1) d`,
    [clusterId],
  )
  await pool.query(
    'insert into device_policies (device_id, policy_id) select id, $2::int from devices where cluster_id = $1',
    [clusterId, policy],
  )
  await pool.query('vacuum analyze nodes, node_roles, devices, device_usage, device_policies')
}

/** Sets the states of the nodes, as they are while their agents report: 4 are offline and 3 stale, the others online. */
export async function setStates({ pool }: Pick<Database, 'pool'>, clusterId: number): Promise<void> {
  await pool.query(
    `update nodes set last_seen = now() - case when i <= 4 then interval '20 minutes' else interval '3 seconds' end,
       state = case when i <= 4 then 'offline' when i <= 7 then 'stale' else 'online' end
     from (select id, row_number() over (order by id desc) as i from nodes where cluster_id = $1) numbered
     where nodes.id = numbered.id`,
    [clusterId],
  )
}
