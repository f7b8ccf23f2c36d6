import type { InventoryPolicy, InventoryProblem, InventoryRing, InventoryService } from '@roost/api-types/agent'
import type { DeploymentKind } from '@roost/api-types/agent'
import type { ConfigState, GrantableRole, NodeState } from '@roost/api-types/rest'
import type { Database } from '../../database/database.js'
import { createDeviceHealthStore } from './device-store.js'
import type { DeviceHealthStore } from './device-store.js'
import { createIdentityHealthStore } from './identity-store.js'
import type { IdentityHealthStore } from './identity-store.js'
import { createSpaceStore } from './space-store.js'
import type { SpaceStore } from './space-store.js'

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
  readonly rolesClaimed: Readonly<Record<GrantableRole, boolean>>
  readonly rolesGranted: readonly string[]
  /** Found by its agent. */
  readonly problems: readonly InventoryProblem[]
}

export interface ClusterHealthStore extends DeviceHealthStore, IdentityHealthStore, SpaceStore {
  /** Those that have a ring, by id. */
  listNodes(clusterId: number): Promise<readonly NodeWithRings[]>
  /** All nodes, by id. */
  listJudgedNodes(clusterId: number): Promise<readonly JudgedNode[]>
  /** Of nodes that would be deployed to now: no later deployment ends what the others have. */
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
  role: { select: { runsGateway: true, runsProxy: true } },
  rolesGranted: true,
  problems: true,
} as const

export function createClusterHealthStore({ prisma }: Pick<Database, 'prisma'>): ClusterHealthStore {
  return {
    ...createDeviceHealthStore(prisma),
    ...createIdentityHealthStore(prisma),
    ...createSpaceStore(prisma),
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
      return rows.map(({ state, configState, problems, role, ...row }) => ({
        ...row,
        rolesClaimed: { runs_gateway: role?.runsGateway === true, runs_proxy: role?.runsProxy === true },
        state: state as NodeState,
        configState: configState as ConfigState,
        problems: problems as unknown as readonly InventoryProblem[],
      }))
    },
    listFailedDeployments: (clusterId) => prisma.$queryRaw`
      select d.node_id as "nodeId", d.kind, d.outcome, d.message
      from node_deployments d join nodes n on n.id = d.node_id
      where n.cluster_id = ${clusterId} and d.outcome is not null and d.outcome <> 'applied' and not d.is_left_out
        and n.enabled and case d.kind when 'gateway' then 'runs_gateway' else 'runs_proxy' end = any(n.roles_granted)
        and (d.kind = 'gateway' or not exists (select from identity_services i where i.cluster_id = n.cluster_id))
      order by d.node_id, d.kind`,
  }
}
