import type { InventoryProblem } from '@roost/api-types/agent'
import { severityOf } from '@roost/api-types/checks'
import { forEachRole, NodeChange, resourceUri, RoleFlags } from '@roost/api-types/rest'
import type { ConfigState, GrantableRole, Node, NodeState } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { Prisma } from '@roost/database'
import type { Transaction } from '../database/transaction.js'
import type { Database } from '../database/database.js'
import { columnWriter, conditionOf, containing, partOf } from '../database/table-fields.js'
import { tableStore } from '../database/table-store.js'
import type { ReadStore } from '../services/reads.js'
import { nodeRoleOf } from './role-store.js'
import { stateDetail } from './roles.js'

/** A node with what only the service needs of it. */
export interface StoredNode {
  readonly record: Node
  /** Writable fields that an operator has set; the agent's readings leave them alone. */
  readonly operatorFields: readonly string[]
}

/** Columns of a change; a field that is not there stays. */
export interface NodeUpdate {
  readonly fields: Partial<
    Pick<
      Node,
      | 'enabled'
      | 'maintenance_until'
      | 'cluster_facing_ip'
      | 'outward_facing_ip'
      | 'replication_facing_ip'
      | 'other_ips'
    >
  >
  readonly role: Partial<RoleFlags>
  readonly rolesGranted: readonly GrantableRole[]
  readonly operatorFields: readonly string[]
}

export interface NodeStore extends ReadStore<Node> {
  /** In the order of the ids; keeps others from changing the rows until the transaction ends. */
  findManyForUpdate(tx: Transaction, ids: readonly number[]): Promise<readonly StoredNode[]>
  update(tx: Transaction, id: number, update: NodeUpdate): Promise<Node>
  countShares(tx: Transaction, id: number): Promise<number>
  /** Takes the node's place away and keeps its key as a revoked one. */
  delete(tx: Transaction, id: number): Promise<void>
}

/** Inventories are large, and no record shows them. */
const shown = { include: { role: true }, omit: { inventory: true, hardwareReport: true } } as const
type Row = Prisma.NodeGetPayload<typeof shown>

export function createNodeStore(database: Database): NodeStore {
  const table = tableStore(database, resources.nodes, {
    model: 'Node',
    shown,
    columns: { ram_gb: 'memoryBytes' },
    conditions: {
      q: (texts: string[]) => ({
        OR: [
          partOf('hostname', 'clusterFacingIp', 'outwardFacingIp', 'replicationFacingIp')(texts),
          ...texts.map((text) => ({ devices: { some: { serial: containing(text) } } })),
        ],
      }),
      node_role: (ids: number[]) => ({ role: { id: { in: ids } } }),
      ...forEachRole((role) => (flags: boolean[]) => ({ role: conditionOf(role, 'boolean', {})(flags) })),
      has_problems: (flags: boolean[]) => ({
        OR: flags.map((flag) => (flag ? { NOT: withoutProblems } : withoutProblems)),
      }),
      ram_gb: (sizes: number[]) => ({
        memoryBytes: { in: sizes.map(bytesOf).filter(Number.isSafeInteger).map(BigInt) },
      }),
    },
    recordOf,
  })
  return {
    ...table,
    async findManyForUpdate(tx, ids) {
      // By id, so that two changes of the same nodes wait for each other and not both for ever.
      await tx.$queryRaw`select id from nodes where id = any(${ids}::int[]) order by id for update`
      const rows = await tx.node.findMany({ where: { id: { in: [...ids] } }, ...shown })
      const byId = new Map(rows.map((row) => [row.id, row]))
      return ids.flatMap((id) => byId.get(id) ?? []).map((row) => ({ record: recordOf(row), ...row }))
    },
    async update(tx, id, { fields, role, rolesGranted, operatorFields }) {
      const lists = { rolesGranted: [...rolesGranted], operatorFields: [...operatorFields] }
      const data = { ...columnsOf(fields), ...lists, role: { update: roleColumnsOf(role) } }
      return recordOf(await tx.node.update({ where: { id }, data, ...shown }))
    },
    countShares: (tx, id) => tx.gatewayShare.count({ where: { nodeId: id } }),
    async delete(tx, id) {
      const { publicKey, uuid: nodeUuid, hostname } = await tx.node.delete({ where: { id } })
      // The key is there already when its node was removed once, and enrolled again with the same key.
      const revoked = { nodeUuid, hostname, revokedAt: new Date() }
      await tx.revokedNode.upsert({ where: { publicKey }, create: { publicKey, ...revoked }, update: revoked })
    },
  }
}

const withoutProblems = { problems: { equals: [] }, judgedProblems: { equals: [] } } satisfies Prisma.NodeWhereInput

const bytesPerGb = 2 ** 30
const bytesOf = (gb: number) => Math.round(gb * bytesPerGb)

const columnsOf = columnWriter(NodeChange, {})
const roleColumnsOf = columnWriter(RoleFlags, {})

function recordOf(row: Row): Node {
  if (row.role === null) throw new Error(`Node ${row.id} has no row in node_roles.`)
  const roles = { node_role: nodeRoleOf(row.role), roles_granted: row.rolesGranted as GrantableRole[] }
  return {
    id: row.id,
    resource_uri: resourceUri('nodes', row.id),
    uuid: row.uuid,
    hostname: row.hostname,
    cluster: resourceUri('clusters', row.clusterId),
    enabled: row.enabled,
    cpu_cores: row.cpuCores,
    ram_gb: row.memoryBytes === null ? null : Number(row.memoryBytes) / bytesPerGb,
    cluster_facing_ip: row.clusterFacingIp,
    outward_facing_ip: row.outwardFacingIp,
    replication_facing_ip: row.replicationFacingIp,
    other_ips: row.otherIps,
    ...roles,
    proxy_authentication: row.proxyAuthentication as Node['proxy_authentication'],
    state: row.state as NodeState,
    state_detail: stateDetail({ hostname: row.hostname, ...roles }),
    config_state: row.configState as ConfigState,
    maintenance_until: row.maintenanceUntil?.toISOString() ?? null,
    last_seen: row.lastSeen?.toISOString() ?? null,
    agent_version: row.agentVersion,
    problems: problemsOf(row),
  }
}

/** Those of the agent come first. Inventories of earlier releases were stored without severities. */
function problemsOf({ problems, judgedProblems }: Pick<Row, 'problems' | 'judgedProblems'>): Node['problems'] {
  const stored = [problems, judgedProblems].flat() as unknown as readonly InventoryProblem[]
  return stored.map(({ severity, value: _value, threshold: _threshold, ...problem }) => ({
    ...problem,
    severity: severity ?? severityOf(problem.code),
  }))
}
