import type { Command } from 'commander'
import type { Config } from '../config.js'
import { listAll, pick, withApi } from './api.js'
import type { ClusterRecord } from './api.js'
import { addClusterStorage } from './cluster-storage.js'
import { outputOption, render } from './terminal/output.js'
import type { Columns, OutputOptions } from './terminal/output.js'
import type { Terminal } from './terminal/terminal.js'

const columns: Columns<ClusterRecord> = { ID: ({ id }) => id, NAME: ({ name }) => name, UUID: ({ uuid }) => uuid }

export function addClusters(program: Command, config: () => Config, terminal: Terminal): void {
  const { out } = terminal
  const cluster = program.command('cluster').description('Manage clusters and their storage logins')
  cluster
    .command('list')
    .description('List clusters')
    .addOption(outputOption())
    .action((options: OutputOptions) =>
      withApi(config(), async ({ clusters }) => {
        out.write(render(await listAll((range) => clusters.list.query(range)), columns, options))
      }),
    )
  cluster
    .command('add <name>')
    .description('Add a cluster')
    .addOption(outputOption())
    .action((name: string, options: OutputOptions) =>
      withApi(config(), async ({ clusters }) => {
        out.write(render([await clusters.create.mutate({ name })], columns, options))
      }),
    )
  cluster
    .command('rename <cluster> <name>')
    .description('Rename a cluster')
    .action((nameOrId: string, name: string) =>
      withApi(config(), async ({ clusters }) => {
        const { id } = pick('cluster', nameOrId, await listAll((range) => clusters.list.query(range)), (c) => c.name)
        await clusters.change.mutate({ id, change: { name } })
        out.write(`cluster ${id} renamed to ${name}\n`)
      }),
    )
  cluster
    .command('remove <cluster>')
    .description('Remove a cluster. Refused while it has nodes or users.')
    .action((nameOrId: string) =>
      withApi(config(), async ({ clusters }) => {
        const { id, name } = pick(
          'cluster',
          nameOrId,
          await listAll((range) => clusters.list.query(range)),
          (c) => c.name,
        )
        await clusters.remove.mutate({ id })
        out.write(`cluster ${name} removed\n`)
      }),
    )
  addClusterStorage(cluster, config, terminal)
}
