import { byNames } from '@roost/api-types'
import type { Command } from 'commander'
import type { Config } from '../config.js'
import { listAll, nodeOf, pick, withApi } from './client/api.js'
import type { NodeRecord } from './client/api.js'
import { addGenerations } from './deploy/generations.js'
import { addNodeRoles } from './node-roles.js'
import { nodeView, nodeViewWith } from './records/node-view.js'
import { addNodeChanges } from './records/node-changes.js'
import { addNodeUpgrade } from './upgrades/node-upgrade.js'
import { confirmLoss, yesFlag } from './terminal/confirm.js'
import type { ConfirmFlags } from './terminal/confirm.js'
import { isTabular, print, printOne, withOutput } from './terminal/output.js'
import type { OutputOptions, View } from './terminal/output.js'
import { watched, withWatch } from './terminal/watch.js'
import type { WatchOptions } from './terminal/watch.js'
import type { Terminal } from './terminal/terminal.js'

interface NodeFlags extends OutputOptions, WatchOptions {
  readonly cluster?: string
  readonly q?: string
  readonly state?: string
  readonly stateNot?: string
  readonly sortBy?: string
}

export function addNodes(program: Command, config: () => Config, terminal: Terminal): void {
  const node = program.command('node').description('Manage nodes')
  withWatch(withOutput(node.command('list')))
    .description('List nodes')
    .option('--cluster <cluster>', 'only nodes of this cluster, by name or id')
    .option('--q <text>', 'only nodes with this text in their host name, an address, or the serial number of a device')
    .option('--state <state>', 'only nodes in this state, such as offline')
    .option('--state-not <states>', 'without nodes in these states, such as online or online,stale')
    .option('--sort-by <field>', 'order, such as hostname or -last_seen')
    .action((options: NodeFlags) =>
      watched(terminal, options, () =>
        withApi(config(), async ({ clusters, nodes }) => {
          const all = await listAll((range) => clusters.list.query(range))
          const { cluster: nameOrId, q, state: only, stateNot: excluded, sortBy } = options
          const filters = {
            ...(nameOrId === undefined ? {} : { cluster: pick('cluster', nameOrId, all, (c) => c.name).id }),
            ...(q === undefined ? {} : { q }),
            ...(only === undefined ? {} : { state: only }),
            ...(excluded === undefined ? {} : { state__not: excluded.split(',') }),
          }
          const order = sortBy === undefined ? {} : { order_by: [sortBy] }
          const records = await listAll((range) => nodes.list.query(byNames({ ...range, filters, ...order })))
          await print(terminal, records, nodeViewWith(all), options)
        }),
      ),
    )
  addShow(node, config, terminal)
  addNodeRoles(node, config, terminal)
  addNodeChanges(node, config, terminal)
  addGenerations(node, config, terminal)
  addNodeUpgrade(node, config, terminal)
  addRemove(node, config, terminal)
}

function addShow(node: Command, config: () => Config, terminal: Terminal): void {
  withWatch(withOutput(node.command('show <node>')))
    .description('Show a node, by hostname or id, with its problems')
    .action((nameOrId: string, options: OutputOptions & WatchOptions) =>
      watched(terminal, options, () =>
        withApi(config(), async (rpc) => {
          const record = await nodeOf(rpc.nodes, nameOrId)
          await printOne(terminal, record, await nodeView(rpc), options)
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

const problemView: View<NodeRecord['problems'][number]> = {
  columns: {
    PROBLEM: ({ code }) => code,
    SUBJECT: ({ subject }) => subject,
    MESSAGE: ({ message }) => message,
  },
  name: ({ code }) => code,
}
