import type { InventoryPolicy, InventoryProblem, InventoryRing, InventoryService } from '@roost/api-types/agent'
import type { DeploymentKind } from '@roost/api-types/agent'
import type { ConfigState, DeviceStatus, NodeState } from '@roost/api-types/rest'
import type { Database } from '../database/database.js'

export interface NodeWithRings {
  readonly id: number
  readonly hostname: string
  readonly state: NodeState
  readonly swiftVersion: string | null
  /** From its last inventory. */
  readonly rings: readonly InventoryRing[]
  readonly policies: readonly InventoryPolicy[]
  /** Of the hash suffix and prefix in swift.conf; null while unknown. */
  readonly hashPathDigest: string | null
  /** Null for agents of 0.2. */
  readonly services: readonly InventoryService[] | null
}

export interface UnhealthyDevice {
  readonly id: number
  readonly nodeId: number
  readonly name: string
  readonly status: DeviceStatus
  /** Names of its policies. */
  readonly policies: readonly string[]
}

/** A device that is nearly full. */
export interface FullDevice {
  readonly id: number
  readonly nodeId: number
  readonly name: string
  readonly usedPercent: number
}

/** What became of the last deployment of a kind to a node, where it is not in force. */
export interface FailedDeployment {
  readonly nodeId: number
  readonly kind: DeploymentKind
  readonly outcome: string
  readonly message: string
}

/** A node with what its checks need beside its rings. */
export interface JudgedNode {
  readonly id: number
  readonly hostname: string
  readonly enabled: boolean
  readonly state: NodeState
  readonly configState: ConfigState
  readonly lastSeen: Date | null
  /** An operator works on it until then. */
  readonly maintenanceUntil: Date | null
  /** Found by its agent. */
  readonly problems: readonly InventoryProblem[]
}

/** A device with weight 0 in all of its rings. Its bytes are null until its filesystem was read. */
export interface StoredDrainedDevice {
  readonly id: number
  readonly nodeId: number
  readonly name: string
  readonly rawBytes: number | null
  readonly usedBytes: number | null
}

export interface ClusterHealthStore {
  /** Devices that their rings give no data any more, by node and name. */
  listDrainedDevices(clusterId: number): Promise<readonly StoredDrainedDevice[]>
  /** Those that have a ring, by id. */
  listNodes(clusterId: number): Promise<readonly NodeWithRings[]>
  /** All nodes, by id. */
  listJudgedNodes(clusterId: number): Promise<readonly JudgedNode[]>
  /** Devices that hold nothing now, by node and name. */
  listUnhealthyDevices(clusterId: number): Promise<readonly UnhealthyDevice[]>
  /** Devices that work and have so much of their space in use, by node and name. */
  listFullDevices(clusterId: number, leastPercent: number): Promise<readonly FullDevice[]>
  listFailedDeployments(clusterId: number): Promise<readonly FailedDeployment[]>
}

const judgedColumns = {
  id: true,
  hostname: true,
  enabled: true,
  state: true,
  configState: true,
  lastSeen: true,
  maintenanceUntil: true,
  problems: true,
} as const

export function createClusterHealthStore({ prisma }: Pick<Database, 'prisma'>): ClusterHealthStore {
  return {
    listNodes: (clusterId) => prisma.$queryRaw`
      select id, hostname, state, inventory ->> 'swift_version' as "swiftVersion", inventory -> 'rings' as rings,
        inventory ->> 'hash_path_digest' as "hashPathDigest", inventory -> 'services' as services,
        jsonb_path_query_array(inventory, '$.policies[*] ? (@ != null)') as policies
      from nodes
      where cluster_id = ${clusterId} and jsonb_array_length(coalesce(inventory -> 'rings', '[]')) > 0
      order by id`,
    async listJudgedNodes(clusterId) {
      const rows = await prisma.node.findMany({
        where: { clusterId },
        select: judgedColumns,
        orderBy: { id: 'asc' },
      })
      return rows.map(({ state, configState, problems, ...row }) => ({
        ...row,
        state: state as NodeState,
        configState: configState as ConfigState,
        problems: problems as unknown as readonly InventoryProblem[],
      }))
    },
    listDrainedDevices: (clusterId) => prisma.$queryRaw`
      select d.id, d.node_id as "nodeId", d.name,
        (u.total_bytes - u.free_bytes + u.available_bytes)::float8 as "rawBytes",
        (u.total_bytes - u.free_bytes)::float8 as "usedBytes"
      from devices d left join device_usage u on u.device_id = d.id
      where d.cluster_id = ${clusterId} and d.rings <> '[]' and not jsonb_path_exists(d.rings, '$[*].weight ? (@ > 0)')
      order by d.node_id, d.name, d.id`,
    listFullDevices: (clusterId, leastPercent) => prisma.$queryRaw`
      select d.id, d.node_id as "nodeId", d.name,
        ((u.total_bytes - u.free_bytes) * 100.0 / (u.total_bytes - u.free_bytes + u.available_bytes))::float8 as "usedPercent"
      from devices d join device_usage u on u.device_id = d.id
      where d.cluster_id = ${clusterId} and d.agent_key is not null and d.status = 'ok'
        and u.total_bytes - u.free_bytes + u.available_bytes > 0
        and (u.total_bytes - u.free_bytes) * 100.0 >= ${leastPercent} * (u.total_bytes - u.free_bytes + u.available_bytes)
      order by d.node_id, d.name, d.id`,
    listFailedDeployments: (clusterId) => prisma.$queryRaw`
      select d.node_id as "nodeId", d.kind, d.outcome, d.message
      from node_deployments d join nodes n on n.id = d.node_id
      where n.cluster_id = ${clusterId} and d.outcome is not null and d.outcome <> 'applied'
      order by d.node_id, d.kind`,
    async listUnhealthyDevices(clusterId) {
      const rows = await prisma.device.findMany({
        // One that its node no longer names is not expected there any more.
        where: { clusterId, agentKey: { not: null }, status: { in: ['unmounted', 'missing', 'failed'] } },
        select: {
          id: true,
          nodeId: true,
          name: true,
          status: true,
          policies: { select: { policy: { select: { name: true } } } },
        },
        orderBy: [{ nodeId: 'asc' }, { name: 'asc' }, { id: 'asc' }],
      })
      return rows.map(({ policies, ...row }) => ({
        ...row,
        status: row.status as DeviceStatus,
        policies: policies.map(({ policy }) => policy.name),
      }))
    },
  }
}
