import type { InventoryPolicy, InventoryProblem } from '@roost/api-types/agent'
import type { DeviceStatus, NodeState } from '@roost/api-types/rest'
import type { Database } from '../database/database.js'

export interface NodeWithRings {
  readonly id: number
  readonly hostname: string
  readonly state: NodeState
  readonly swiftVersion: string | null
  /** From its last inventory. */
  readonly rings: readonly { readonly name: string; readonly md5: string; readonly version: number | null }[]
  readonly policies: readonly InventoryPolicy[]
}

export interface UnhealthyDevice {
  readonly id: number
  readonly nodeId: number
  readonly name: string
  readonly status: DeviceStatus
  /** Names of its policies. */
  readonly policies: readonly string[]
}

/** A node with what its checks need beside its rings. */
export interface JudgedNode {
  readonly id: number
  readonly hostname: string
  readonly enabled: boolean
  readonly state: NodeState
  readonly lastSeen: Date | null
  /** Found by its agent. */
  readonly problems: readonly InventoryProblem[]
}

export interface ClusterHealthStore {
  /** Those that have a ring, by id. */
  listNodes(clusterId: number): Promise<readonly NodeWithRings[]>
  /** All nodes, by id. */
  listJudgedNodes(clusterId: number): Promise<readonly JudgedNode[]>
  /** Devices that hold nothing now, by node and name. */
  listUnhealthyDevices(clusterId: number): Promise<readonly UnhealthyDevice[]>
}

export function createClusterHealthStore({ prisma }: Pick<Database, 'prisma'>): ClusterHealthStore {
  return {
    listNodes: (clusterId) => prisma.$queryRaw`
      select id, hostname, state, inventory ->> 'swift_version' as "swiftVersion", inventory -> 'rings' as rings,
        jsonb_path_query_array(inventory, '$.policies[*] ? (@ != null)') as policies
      from nodes
      where cluster_id = ${clusterId} and jsonb_array_length(coalesce(inventory -> 'rings', '[]')) > 0
      order by id`,
    async listJudgedNodes(clusterId) {
      const rows = await prisma.node.findMany({
        where: { clusterId },
        select: { id: true, hostname: true, enabled: true, state: true, lastSeen: true, problems: true },
        orderBy: { id: 'asc' },
      })
      return rows.map(({ state, problems, ...row }) => ({
        ...row,
        state: state as NodeState,
        problems: problems as unknown as readonly InventoryProblem[],
      }))
    },
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
