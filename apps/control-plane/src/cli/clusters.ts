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
  const cluster = program
    .command('cluster')
    .description('Clusters: list, add, rename, remove, and how gateways mount their containers.')
  cluster
    .command('list')
    .description('List the clusters.')
    .addOption(outputOption())
    .action((options: OutputOptions) =>
      withApi(config(), async ({ clusters }) => {
        out.write(render(await listAll((range) => clusters.list.query(range)), columns, options))
      }),
    )
  cluster
    .command('add <name>')
    .description('Make a new cluster.')
    .addOption(outputOption())
    .action((name: string, options: OutputOptions) =>
      withApi(config(), async ({ clusters }) => {
        out.write(render([await clusters.create.mutate({ name })], columns, options))
      }),
    )
  cluster
    .command('rename <cluster> <name>')
    .description('Give a cluster another name.')
    .action((word: string, name: string) =>
      withApi(config(), async ({ clusters }) => {
        const { id } = pick('cluster', word, await listAll((range) => clusters.list.query(range)), (c) => c.name)
        await clusters.change.mutate({ id, change: { name } })
        out.write(`cluster ${id} is named ${name} now\n`)
      }),
    )
  cluster
    .command('remove <cluster>')
    .description('Remove a cluster that has no nodes.')
    .action((word: string) =>
      withApi(config(), async ({ clusters }) => {
        const { id, name } = pick('cluster', word, await listAll((range) => clusters.list.query(range)), (c) => c.name)
        await clusters.remove.mutate({ id })
        out.write(`cluster ${name} is removed\n`)
      }),
    )
  addClusterStorage(cluster, config, terminal)
}
