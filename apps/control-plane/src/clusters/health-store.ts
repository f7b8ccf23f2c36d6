import type { InventoryPolicy } from '@roost/api-types/agent'
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
}

export interface ClusterHealthStore {
  /** Those that have a ring, by id. */
  listNodes(clusterId: number): Promise<readonly NodeWithRings[]>
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
    async listUnhealthyDevices(clusterId) {
      const rows = await prisma.device.findMany({
        // One that its node no longer names is not expected there any more.
        where: { clusterId, agentKey: { not: null }, status: { in: ['unmounted', 'missing', 'failed'] } },
        select: { id: true, nodeId: true, name: true, status: true },
        orderBy: [{ nodeId: 'asc' }, { name: 'asc' }, { id: 'asc' }],
      })
      return rows.map((row) => ({ ...row, status: row.status as DeviceStatus }))
    },
  }
}
