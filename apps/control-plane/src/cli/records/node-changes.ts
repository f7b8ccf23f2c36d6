import type { NodeChange } from '@roost/api-types/rest'
import { Option } from 'commander'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { nodeOf, withApi } from '../client/api.js'
import { parseDuration } from '../terminal/durations.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { printValue, withOutput } from '../terminal/output.js'
import type { OutputOptions } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'

interface AddressFlags {
  readonly clusterIp?: string
  readonly outwardIp?: string
  readonly replicationIp?: string
}

interface MaintenanceFlags {
  /** Seconds. */
  readonly for?: number
  readonly end?: boolean
}

/** Adds the commands that change a node, and the one that shows its hardware. */
export function addNodeChanges(node: Command, config: () => Config, terminal: Terminal): void {
  const change = (nameOrId: string, values: NodeChange, done: string) =>
    withApi(config(), async ({ nodes }) => {
      const { id, hostname } = await nodeOf(nodes, nameOrId)
      await nodes.change.mutate({ id, change: values })
      terminal.out.write(`node ${hostname} (${id}) ${done}\n`)
    })
  node
    .command('enable <node>')
    .description('Enable a node, by hostname or id: deployments to its cluster reach it again')
    .action((nameOrId: string) => change(nameOrId, { enabled: true }, 'enabled'))
  node
    .command('disable <node>')
    .description('Disable a node, by hostname or id: deployments to its cluster leave it out')
    .action((nameOrId: string) => change(nameOrId, { enabled: false }, 'disabled'))
  addMaintenance(node, change)
  node
    .command('set <node>')
    .description('Set addresses of a node, by hostname or id. Its agent no longer changes them.')
    .option('--cluster-ip <address>', 'address in the network of the cluster; null: none')
    .option('--outward-ip <address>', 'address that clients use; null: none')
    .option('--replication-ip <address>', 'address in the network of replication; null: none')
    .action((nameOrId: string, { clusterIp, outwardIp, replicationIp }: AddressFlags) => {
      const values = {
        ...(clusterIp !== undefined && { cluster_facing_ip: orNull(clusterIp) }),
        ...(outwardIp !== undefined && { outward_facing_ip: orNull(outwardIp) }),
        ...(replicationIp !== undefined && { replication_facing_ip: orNull(replicationIp) }),
      }
      if (Object.keys(values).length === 0)
        throw new CommandError('Nothing to change. --help lists the fields.', exitCodes.usage)
      return change(nameOrId, values, 'changed')
    })
  withOutput(node.command('hardware <node>'))
    .description('Show the hardware of a node, by hostname or id, as JSON or YAML')
    .action((nameOrId: string, options: OutputOptions) =>
      withApi(config(), async ({ nodes }) => {
        const { id } = await nodeOf(nodes, nameOrId)
        await printValue(terminal, await nodes.hardware.query({ id }), options)
      }),
    )
}

function addMaintenance(
  node: Command,
  change: (nameOrId: string, values: NodeChange, done: string) => Promise<void>,
): void {
  node
    .command('maintenance <node>')
    .description('Make the alerts of a node silent while you work on it, by hostname or id')
    .addOption(new Option('--for <time>', 'for so long, such as 2h').argParser(parseDuration).conflicts('end'))
    .addOption(new Option('--end', 'end it now'))
    .action((nameOrId: string, { for: forSeconds, end = false }: MaintenanceFlags) => {
      if (forSeconds === undefined && !end) throw new CommandError('Give --for TIME or --end.', exitCodes.usage)
      const until = forSeconds === undefined ? null : new Date(Date.now() + forSeconds * 1_000).toISOString()
      const done = until === null ? 'is no longer in maintenance' : `is in maintenance until ${until}`
      return change(nameOrId, { maintenance_until: until }, done)
    })
}

function orNull(text: string): string | null {
  return text === 'null' ? null : text
}
