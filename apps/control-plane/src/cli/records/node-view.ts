import { GrantableRole, resourceUri } from '@roost/api-types/rest'
import { listAll } from '../client/api.js'
import type { ClusterRecord, NodeRecord, Rpc } from '../client/api.js'
import { roleNames } from './roles.js'
import { moment, state } from '../terminal/cells.js'
import type { Columns } from '../terminal/cells.js'
import type { View } from '../terminal/output.js'

const detailColumns: Columns<NodeRecord> = {
  UUID: ({ uuid }) => uuid,
  ENABLED: ({ enabled }) => enabled,
  'MAINTENANCE UNTIL': ({ maintenance_until: until }) => moment(until),
  CONFIG: ({ config_state }) => state(config_state),
  'ROLES APPROVED': ({ roles_granted }) => roleNames(roles_granted) || null,
  PROXY: ({ proxy_authentication }) => proxy_authentication,
  DETAIL: ({ state_detail }) => state_detail,
  'CPU CORES': ({ cpu_cores }) => cpu_cores,
  'RAM GB': ({ ram_gb }) => ram_gb,
  'CLUSTER IP': ({ cluster_facing_ip }) => cluster_facing_ip,
  'OUTWARD IP': ({ outward_facing_ip }) => outward_facing_ip,
  'REPLICATION IP': ({ replication_facing_ip }) => replication_facing_ip,
}

/** Returns the columns of nodes, with the names of all clusters. */
export async function nodeView({ clusters }: Pick<Rpc, 'clusters'>): Promise<View<NodeRecord>> {
  return nodeViewWith(await listAll((range) => clusters.list.query(range)))
}

/** Returns the columns of nodes, with the names of these clusters. */
export function nodeViewWith(clusters: readonly ClusterRecord[]): View<NodeRecord> {
  const names = new Map(clusters.map(({ id, name }) => [resourceUri('clusters', id), name]))
  return {
    columns: {
      ID: ({ id }) => id,
      HOSTNAME: ({ hostname }) => hostname,
      CLUSTER: ({ cluster }) => names.get(cluster),
      STATE: (node) => state(node.state),
      ROLES: (record) => rolesOf(record),
      'LAST SEEN': ({ last_seen }) => moment(last_seen),
      AGENT: ({ agent_version }) => agent_version,
      PROBLEMS: ({ problems }) => problems.length,
    },
    wide: detailColumns,
    name: ({ hostname }) => hostname,
    document: (node) => nodeDocument(node, names.get(node.cluster)),
  }
}

/** The fields of a node that an operator can set. A role that waits is left out: to apply it would approve it. */
function nodeDocument(
  { hostname, enabled, node_role: role, roles_granted: granted, ...node }: NodeRecord,
  cluster: string | undefined,
): object {
  const { cluster_facing_ip, outward_facing_ip, replication_facing_ip, other_ips } = node
  const waits = (name: string) =>
    GrantableRole.options.some((one) => one === name && role[one] && !granted.includes(one))
  const flags = Object.entries(role).filter(([name]) => name.startsWith('runs_') && !waits(name))
  const addresses = { cluster_facing_ip, outward_facing_ip, replication_facing_ip, other_ips }
  return { kind: 'node', hostname, cluster, enabled, ...addresses, node_role: Object.fromEntries(flags) }
}

/** Lists the roles, with a question mark after those that wait for approval. */
function rolesOf({ node_role, roles_granted }: NodeRecord): string | null {
  const waits = (role: string) => GrantableRole.options.some((one) => one === role && !roles_granted.includes(one))
  const flags = Object.entries(node_role).filter(([name, value]) => name.startsWith('runs_') && value === true)
  return flags.map(([name]) => `${roleNames([name])}${waits(name) ? '?' : ''}`).join(',') || null
}
