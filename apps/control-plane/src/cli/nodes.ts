import { resourceUri } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../config.js'
import { listAll, pick, withApi } from './api.js'
import type { ClusterRecord, NodeRecord } from './api.js'
import { outputOption, render } from './output.js'
import type { Columns, OutputOptions } from './output.js'
import type { Terminal } from './program.js'

interface NodeFlags extends OutputOptions {
  readonly cluster?: string
}

export function addNodes(program: Command, config: () => Config, { out }: Terminal): void {
  const node = program.command('node').description('Nodes: list, remove.')
  node
    .command('list')
    .description('List the nodes.')
    .option('--cluster <cluster>', 'only those of this cluster, by name or id')
    .addOption(outputOption())
    .action((options: NodeFlags) =>
      withApi(config(), async ({ clusters, nodes }) => {
        const all = await listAll((range) => clusters.list.query(range))
        const { cluster: word } = options
        const filters = word === undefined ? {} : { cluster: pick('cluster', word, all, (c) => c.name).id }
        const records = await listAll((range) => nodes.list.query({ ...range, filters }))
        out.write(render(records, columnsWith(all), options))
      }),
    )
  node
    .command('remove <node>')
    .description('Revoke the identity of a node, given by host name or id, and forget the node.')
    .option('--force', 'even while it is online')
    .action((word: string, { force = false }: { readonly force?: boolean }) =>
      withApi(config(), async ({ nodes }) => {
        const { id, hostname } = pick(
          'node',
          word,
          await listAll((range) => nodes.list.query(range)),
          (n) => n.hostname,
        )
        await nodes.remove.mutate({ id, force })
        out.write(`node ${hostname} (${id}) is removed; to come back it needs a new token\n`)
      }),
    )
}

function columnsWith(clusters: readonly ClusterRecord[]): Columns<NodeRecord> {
  const names = new Map(clusters.map(({ id, name }) => [resourceUri('clusters', id), name]))
  return {
    ID: ({ id }) => id,
    HOSTNAME: ({ hostname }) => hostname,
    CLUSTER: ({ cluster }) => names.get(cluster),
    STATE: ({ state }) => state,
    ROLES: ({ node_role }) => rolesOf(node_role),
    'LAST SEEN': ({ last_seen }) => last_seen,
    AGENT: ({ agent_version }) => agent_version,
  }
}

function rolesOf(role: NodeRecord['node_role']): string | null {
  const flags = Object.entries(role).filter(([name, value]) => name.startsWith('runs_') && value === true)
  return flags.map(([name]) => name.slice('runs_'.length)).join(',') || null
}
