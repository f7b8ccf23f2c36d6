import { counted } from '@roost/runtime'
import type { Command } from 'commander'
import type { Config } from '../config.js'
import { nodeOf, withApi } from './client/api.js'
import { addUsageSeries } from './readings/usage-series.js'
import { addUsageReads } from './readings/usage.js'
import type { Terminal } from './terminal/terminal.js'

interface RemoveFlags {
  readonly node: string
  readonly from: string
  readonly to?: string
}

export function addUsage(program: Command, config: () => Config, terminal: Terminal): void {
  const { out } = terminal
  const usage = program.command('usage').description('Show and correct the usage of accounts')
  addUsageReads(usage, config, terminal)
  addUsageSeries(usage, config, terminal)
  usage
    .command('remove')
    .description('Remove the usage that a node has reported, in complete half-hours')
    .requiredOption('--node <node>', 'hostname or id of the node; for a removed node, its id')
    .requiredOption('--from <time>', 'start, such as 2026-11-21T17:00:00Z')
    .option('--to <time>', 'end (default: now)')
    .action(({ node: nameOrId, from: start, to: end }: RemoveFlags) =>
      withApi(config(), async ({ nodes, utilization }) => {
        const node = /^[1-9]\d*$/.test(nameOrId) ? Number(nameOrId) : (await nodeOf(nodes, nameOrId)).id
        const { rows } = await utilization.remove.mutate({ node, start, end })
        out.write(`${counted(rows, 'row')} of usage of node ${nameOrId} removed\n`)
      }),
    )
}
