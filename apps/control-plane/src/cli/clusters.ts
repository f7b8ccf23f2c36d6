import type { Command } from 'commander'
import type { Config } from '../config.js'
import { addList, withApi, withCluster } from './client/api.js'
import type { ClusterRecord } from './client/api.js'
import { addClusterIdentity } from './cluster/identity.js'
import { addClusterStorage } from './cluster/storage.js'
import { CommandError, exitCodes } from './terminal/exit-codes.js'
import { confirmLoss, yesFlag } from './terminal/confirm.js'
import type { ConfirmFlags } from './terminal/confirm.js'
import { print, withOutput } from './terminal/output.js'
import type { OutputOptions, View } from './terminal/output.js'
import type { Terminal } from './terminal/terminal.js'

const view: View<ClusterRecord> = {
  columns: { ID: ({ id }) => id, NAME: ({ name }) => name, UUID: ({ uuid }) => uuid },
  name: ({ name }) => name,
  document: ({ name }) => ({ kind: 'cluster', name }),
}

export function addClusters(program: Command, config: () => Config, terminal: Terminal): void {
  const { out } = terminal
  const cluster = program.command('cluster').description('Manage clusters, their storage logins and identity services')
  addList(cluster, config, terminal, {
    description: 'List clusters',
    view,
    page: ({ clusters }, range) => clusters.list.query(range),
  })
  withOutput(cluster.command('add <name>'))
    .description('Add a cluster')
    .action((name: string, options: OutputOptions) =>
      withApi(config(), async ({ clusters }) => {
        // The API refuses it as an invalid field; a script needs to know that the cluster is there.
        const { objects } = await clusters.list.query({ filters: { name } })
        if (objects.length > 0) throw new CommandError(`Cluster '${name}' already exists.`, exitCodes.conflict)
        await print(terminal, [await clusters.create.mutate({ name })], view, options)
      }),
    )
  cluster
    .command('rename <cluster> <name>')
    .description('Rename a cluster')
    .action((nameOrId: string, name: string) =>
      withCluster(config(), nameOrId, async (clusters, { id }) => {
        await clusters.change.mutate({ id, change: { name } })
        out.write(`cluster ${id} renamed to ${name}\n`)
      }),
    )
  cluster
    .command('remove <cluster>')
    .description('Remove a cluster. Refused while it has nodes or users.')
    .option(...yesFlag)
    .action((nameOrId: string, flags: ConfirmFlags) =>
      withCluster(config(), nameOrId, async (clusters, { id, name }) => {
        await confirmLoss(terminal, flags, {
          loss: `This removes cluster ${name}, its storage login and its usage.`,
          name,
        })
        await clusters.remove.mutate({ id })
        out.write(`cluster ${name} removed\n`)
      }),
    )
  addClusterStorage(cluster, config, terminal)
  addClusterIdentity(cluster, config, terminal)
}
