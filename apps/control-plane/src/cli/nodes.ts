import { GrantableRole, resourceUri } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../config.js'
import { listAll, nodeOf, pick, withApi } from './client/api.js'
import type { ClusterRecord, NodeRecord } from './client/api.js'
import { addNodeRoles } from './node-roles.js'
import { roleNames } from './roles.js'
import { outputOption, render, renderOne } from './terminal/output.js'
import type { Columns, OutputOptions } from './terminal/output.js'
import type { Terminal } from './terminal/terminal.js'

interface NodeFlags extends OutputOptions {
  readonly cluster?: string
}

export function addNodes(program: Command, config: () => Config, { out }: Terminal): void {
  const node = program.command('node').description('Manage nodes')
  node
    .command('list')
    .description('List nodes')
    .option('--cluster <cluster>', 'only nodes of this cluster, by name or id')
    .addOption(outputOption())
    .action((options: NodeFlags) =>
      withApi(config(), async ({ clusters, nodes }) => {
        const all = await listAll((range) => clusters.list.query(range))
        const { cluster: nameOrId } = options
        const filters = nameOrId === undefined ? {} : { cluster: pick('cluster', nameOrId, all, (c) => c.name).id }
        const records = await listAll((range) => nodes.list.query({ ...range, filters }))
        out.write(render(records, columnsWith(all), options))
      }),
    )
  node
    .command('show <node>')
    .description('Show a node, by hostname or id, with its problems')
    .addOption(outputOption())
    .action((nameOrId: string, options: OutputOptions) =>
      withApi(config(), async ({ clusters, nodes }) => {
        const record = await nodeOf(nodes, nameOrId)
        if (options.output === 'json') out.write(`${JSON.stringify(record, null, 2)}\n`)
        else out.write(shown(record, await listAll((range) => clusters.list.query(range))))
      }),
    )
  addNodeRoles(node, config, { out })
  node
    .command('remove <node>')
    .description('Remove a node, by hostname or id, and revoke its identity')
    .option('--force', 'remove the node even if it is online')
    .action((nameOrId: string, { force = false }: { readonly force?: boolean }) =>
      withApi(config(), async ({ nodes }) => {
        const { id, hostname } = await nodeOf(nodes, nameOrId)
        await nodes.remove.mutate({ id, force })
        out.write(`node ${hostname} (${id}) removed; to add the node again, create a new token\n`)
      }),
    )
}

function shown(record: NodeRecord, clusters: readonly ClusterRecord[]): string {
  const details = renderOne(record, { ...columnsWith(clusters), ...detailColumns })
  return record.problems.length === 0 ? details : `${details}\n${render(record.problems, problemColumns, asTable)}`
}

const asTable = { output: 'table' } as const

const detailColumns: Columns<NodeRecord> = {
  UUID: ({ uuid }) => uuid,
  ENABLED: ({ enabled }) => enabled,
  CONFIG: ({ config_state }) => config_state,
  'ROLES APPROVED': ({ roles_granted }) => roleNames(roles_granted) || null,
  DETAIL: ({ state_detail }) => state_detail,
  'CPU CORES': ({ cpu_cores }) => cpu_cores,
  'RAM GB': ({ ram_gb }) => ram_gb,
  'CLUSTER IP': ({ cluster_facing_ip }) => cluster_facing_ip,
  'OUTWARD IP': ({ outward_facing_ip }) => outward_facing_ip,
  'REPLICATION IP': ({ replication_facing_ip }) => replication_facing_ip,
}

const problemColumns: Columns<NodeRecord['problems'][number]> = {
  PROBLEM: ({ code }) => code,
  SUBJECT: ({ subject }) => subject,
  MESSAGE: ({ message }) => message,
}

function columnsWith(clusters: readonly ClusterRecord[]): Columns<NodeRecord> {
  const names = new Map(clusters.map(({ id, name }) => [resourceUri('clusters', id), name]))
  return {
    ID: ({ id }) => id,
    HOSTNAME: ({ hostname }) => hostname,
    CLUSTER: ({ cluster }) => names.get(cluster),
    STATE: ({ state }) => state,
    ROLES: (record) => rolesOf(record),
    'LAST SEEN': ({ last_seen }) => last_seen,
    AGENT: ({ agent_version }) => agent_version,
    PROBLEMS: ({ problems }) => problems.length,
  }
}

/** Lists the roles, with a question mark after those that wait for approval. */
function rolesOf({ node_role, roles_granted }: NodeRecord): string | null {
  const waits = (role: string) => GrantableRole.options.some((one) => one === role && !roles_granted.includes(one))
  const flags = Object.entries(node_role).filter(([name, value]) => name.startsWith('runs_') && value === true)
  return flags.map(([name]) => `${roleNames([name])}${waits(name) ? '?' : ''}`).join(',') || null
}
