import { recordsOfChanges } from '@roost/api-types/rest'
import type { PendingChange, PendingChanges } from '@roost/api-types/rest'
import { counted, printable } from '@roost/runtime'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { findCluster, listAll, withApi } from '../client/api.js'
import type { ClusterRecord, Rpc } from '../client/api.js'
import { hostnamesByUri } from '../records/fields.js'
import { isStructured, isTabular, print, printValue, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'
import { watched, withWatch } from '../terminal/watch.js'
import type { WatchOptions } from '../terminal/watch.js'

interface PendingFlags extends OutputOptions, WatchOptions {
  readonly cluster?: string
}

/** Adds the command that shows which changes a deployment would bring to the nodes. */
export function addPending(deploy: Command, config: () => Config, terminal: Terminal): void {
  withWatch(withOutput(deploy.command('pending')))
    .description('List changes of shares and users that are not deployed yet')
    .option('--cluster <cluster>', 'only changes in this cluster, by name or id')
    .action(({ cluster, ...options }: PendingFlags) =>
      watched(terminal, options, () =>
        withApi(config(), async (rpc) => {
          const asked = await clustersOf(rpc, cluster)
          const answers: PendingOf[] = []
          for (const { id, name } of asked)
            answers.push({ name, pending: await rpc.gatewayShares.pending.query({ cluster: id }) })
          await printPending(terminal, rpc, answers, options)
        }),
      ),
    )
}

interface PendingOf {
  readonly name: string
  readonly pending: PendingChanges
}

async function clustersOf(rpc: Rpc, nameOrId: string | undefined): Promise<readonly ClusterRecord[]> {
  if (nameOrId !== undefined) return [await findCluster(rpc, nameOrId)]
  return listAll((range) => rpc.clusters.list.query(range))
}

type Row = PendingChanges['changes'][number] & { readonly cluster: string; readonly hostnames: string }

const view: View<Row> = {
  columns: {
    CLUSTER: ({ cluster }) => cluster,
    TYPE: ({ type }) => type,
    NAME: ({ name }) => name,
    CHANGE: ({ change }) => change,
    FIELDS: ({ fields }) => fields.map(({ field }) => field).join(', '),
    NODES: ({ hostnames }) => hostnames,
  },
  name: ({ type, name }) => `${type} ${name}`.trimEnd(),
}

async function printPending(
  terminal: Terminal,
  rpc: Rpc,
  answers: readonly PendingOf[],
  options: OutputOptions,
): Promise<void> {
  const records = answers.map(({ pending }) => pending)
  if (isStructured(options)) return printValue(terminal, records, options)
  const names = await hostnamesByUri(rpc)
  const nameOf = (uri: string) => names.get(uri) ?? uri
  const rows = answers.flatMap(({ name, pending }) =>
    pending.changes.map((change) => ({ ...change, cluster: name, hostnames: hostnamesOf(change, nameOf) })),
  )
  await print(terminal, rows, view, options)
  if (!isTabular(options)) return
  const more = records.reduce((sum, { count, changes }) => sum + count - recordsOfChanges(changes), 0)
  if (more > 0) terminal.out.write(`\nand ${counted(more, 'more change')}\n`)
  for (const { node, kind, reason } of records.flatMap(({ unknown }) => unknown))
    terminal.out.write(`\n${printable(`${nameOf(node)} (${kind}) cannot be compared: ${reason}`)}\n`)
}

function hostnamesOf({ nodes, node_count: count }: PendingChange, nameOf: (uri: string) => string): string {
  const more = count - nodes.length
  return [...nodes.map(nameOf), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
