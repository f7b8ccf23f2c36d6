import { byNames } from '@roost/api-types'
import { GrantableRole, resourceUri } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../config.js'
import { listAll, nodeOf, pick, withApi } from './client/api.js'
import type { ClusterRecord, NodeRecord } from './client/api.js'
import { addNodeRoles } from './node-roles.js'
import { addNodeChanges } from './records/node-changes.js'
import { addNodeUpgrade } from './upgrades/node-upgrade.js'
import { roleNames } from './roles.js'
import { moment, state } from './terminal/cells.js'
import type { Columns } from './terminal/cells.js'
import { confirmLoss, yesFlag } from './terminal/confirm.js'
import type { ConfirmFlags } from './terminal/confirm.js'
import { isTabular, print, printOne, withOutput } from './terminal/output.js'
import type { OutputOptions, View } from './terminal/output.js'
import { watched, withWatch } from './terminal/watch.js'
import type { WatchOptions } from './terminal/watch.js'
import type { Terminal } from './terminal/terminal.js'

interface NodeFlags extends OutputOptions, WatchOptions {
  readonly cluster?: string
  readonly state?: string
  readonly sortBy?: string
}

export function addNodes(program: Command, config: () => Config, terminal: Terminal): void {
  const node = program.command('node').description('Manage nodes')
  withWatch(withOutput(node.command('list')))
    .description('List nodes')
    .option('--cluster <cluster>', 'only nodes of this cluster, by name or id')
    .option('--state <state>', 'only nodes in this state, such as offline')
    .option('--sort-by <field>', 'order, such as hostname or -last_seen')
    .action((options: NodeFlags) =>
      watched(terminal, options, () =>
        withApi(config(), async ({ clusters, nodes }) => {
          const all = await listAll((range) => clusters.list.query(range))
          const { cluster: nameOrId, state: only, sortBy } = options
          const filters = {
            ...(nameOrId === undefined ? {} : { cluster: pick('cluster', nameOrId, all, (c) => c.name).id }),
            ...(only === undefined ? {} : { state: only }),
          }
          const order = sortBy === undefined ? {} : { order_by: [sortBy] }
          const records = await listAll((range) => nodes.list.query(byNames({ ...range, filters, ...order })))
          await print(terminal, records, viewWith(all), options)
        }),
      ),
    )
  addShow(node, config, terminal)
  addNodeRoles(node, config, terminal)
  addNodeChanges(node, config, terminal)
  addNodeUpgrade(node, config, terminal)
  addRemove(node, config, terminal)
}

function addShow(node: Command, config: () => Config, terminal: Terminal): void {
  withWatch(withOutput(node.command('show <node>')))
    .description('Show a node, by hostname or id, with its problems')
    .action((nameOrId: string, options: OutputOptions & WatchOptions) =>
      watched(terminal, options, () =>
        withApi(config(), async ({ clusters, nodes }) => {
          const record = await nodeOf(nodes, nameOrId)
          await printOne(terminal, record, viewWith(await listAll((range) => clusters.list.query(range))), options)
          if (!isTabular(options) || record.problems.length === 0) return
          terminal.out.write('\n')
          await print(terminal, record.problems, problemView, options)
        }),
      ),
    )
}

function addRemove(node: Command, config: () => Config, terminal: Terminal): void {
  node
    .command('remove <node>')
    .description('Remove a node, by hostname or id, and revoke its identity')
    .option('--force', 'remove the node even if it is online')
    .option(...yesFlag)
    .action((nameOrId: string, { force = false, ...flags }: ConfirmFlags & { readonly force?: boolean }) =>
      withApi(config(), async ({ nodes }) => {
        const { id, hostname } = await nodeOf(nodes, nameOrId)
        await confirmLoss(terminal, flags, {
          loss: `This removes node ${hostname} and revokes its identity.`,
          name: hostname,
        })
        await nodes.remove.mutate({ id, force })
        terminal.out.write(`node ${hostname} (${id}) removed; to add the node again, create a new token\n`)
      }),
    )
}

const detailColumns: Columns<NodeRecord> = {
  UUID: ({ uuid }) => uuid,
  ENABLED: ({ enabled }) => enabled,
  'MAINTENANCE UNTIL': ({ maintenance_until: until }) => moment(until),
  CONFIG: ({ config_state }) => state(config_state),
  'ROLES APPROVED': ({ roles_granted }) => roleNames(roles_granted) || null,
  DETAIL: ({ state_detail }) => state_detail,
  'CPU CORES': ({ cpu_cores }) => cpu_cores,
  'RAM GB': ({ ram_gb }) => ram_gb,
  'CLUSTER IP': ({ cluster_facing_ip }) => cluster_facing_ip,
  'OUTWARD IP': ({ outward_facing_ip }) => outward_facing_ip,
  'REPLICATION IP': ({ replication_facing_ip }) => replication_facing_ip,
}

const problemView: View<NodeRecord['problems'][number]> = {
  columns: {
    PROBLEM: ({ code }) => code,
    SUBJECT: ({ subject }) => subject,
    MESSAGE: ({ message }) => message,
  },
  name: ({ code }) => code,
}

function viewWith(clusters: readonly ClusterRecord[]): View<NodeRecord> {
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
