import type { Command } from 'commander'
import type { Config } from '../config.js'
import { listAll, withApi, withCluster } from './client/api.js'
import type { ClusterRecord, Rpc } from './client/api.js'
import { addClusterIdentity, identityDocument } from './cluster/identity.js'
import { addClusterContainers } from './cluster/containers.js'
import { addClusterStorage, storageDocument } from './cluster/storage.js'
import { CommandError, exitCodes } from './terminal/exit-codes.js'
import { confirmLoss, yesFlag } from './terminal/confirm.js'
import type { ConfirmFlags } from './terminal/confirm.js'
import { print, printResult, withOutput, withResult } from './terminal/output.js'
import type { OutputOptions, ResultOptions, View } from './terminal/output.js'
import type { Terminal } from './terminal/terminal.js'
import { watched, withWatch } from './terminal/watch.js'
import type { WatchOptions } from './terminal/watch.js'

const view: View<ClusterRecord> = {
  columns: { ID: ({ id }) => id, NAME: ({ name }) => name, UUID: ({ uuid }) => uuid },
  name: ({ name }) => name,
  document: ({ name }) => ({ kind: 'cluster', name }),
}

function addClusterList(cluster: Command, config: () => Config, terminal: Terminal): void {
  withWatch(withOutput(cluster.command('list')))
    .description('List clusters; with -o yaml also their storage logins and identity services')
    .action((options: OutputOptions & WatchOptions) =>
      watched(terminal, options, () =>
        withApi(config(), async ({ clusters }) => {
          const all = await listAll((range) => clusters.list.query(range))
          const documents = options.output === 'yaml' ? await documentsOf(clusters, all) : new Map<number, object>()
          const document = (record: ClusterRecord) => documents.get(record.id) ?? record
          await print(terminal, all, { ...view, document }, options)
        }),
      ),
    )
}

/** Returns the documents of clusters, by id, with the logins that each has. */
async function documentsOf(
  clusters: Rpc['clusters'],
  all: readonly ClusterRecord[],
): Promise<ReadonlyMap<number, object>> {
  const documents = all.map(async ({ id, name }) => {
    const [storage, identity] = await Promise.all([clusters.storage.query({ id }), clusters.identity.query({ id })])
    const logins = {
      ...(storage !== null && storageDocument(name)(storage)),
      ...(identity !== null && identityDocument(name)(identity)),
    }
    return [id, { kind: 'cluster', name, ...logins }] as const
  })
  return new Map(await Promise.all(documents))
}

export function addClusters(program: Command, config: () => Config, terminal: Terminal): void {
  const { out } = terminal
  const cluster = program.command('cluster').description('Manage clusters, their storage logins and identity services')
  addClusterList(cluster, config, terminal)
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
  withResult(cluster.command('rename <cluster> <name>'))
    .description('Rename a cluster')
    .action((nameOrId: string, name: string, options: ResultOptions) =>
      withCluster(config(), nameOrId, async (clusters, { id }) => {
        const record = await clusters.change.mutate({ id, change: { name } })
        await printResult(terminal, { record, view, sentence: `cluster ${id} renamed to ${name}` }, options)
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
  addClusterContainers(cluster, config, terminal)
  addClusterIdentity(cluster, config, terminal)
}
