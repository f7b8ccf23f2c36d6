import type { NodeChange } from '@roost/api-types/rest'
import { Option } from 'commander'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { nodeOf, withApi } from '../client/api.js'
import { nodeView } from './node-view.js'
import { parseDuration } from '../terminal/durations.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { isStructured, print, printResult, printValue, withOutput, withResult } from '../terminal/output.js'
import type { OutputOptions, ResultOptions } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'
import { hardwareRows, hardwareView } from './hardware.js'

interface AddressFlags extends ResultOptions {
  readonly clusterIp?: string
  readonly outwardIp?: string
  readonly replicationIp?: string
}

interface MaintenanceFlags extends ResultOptions {
  /** Seconds. */
  readonly for?: number
  readonly end?: boolean
}

/** Adds the commands that change a node, and the one that shows its hardware. */
export function addNodeChanges(node: Command, config: () => Config, terminal: Terminal): void {
  const change: Change = (nameOrId, values, done, options) =>
    withApi(config(), async (rpc) => {
      const { id, hostname } = await nodeOf(rpc.nodes, nameOrId)
      const record = await rpc.nodes.change.mutate({ id, change: values })
      const sentence = `node ${hostname} (${id}) ${done}`
      await printResult(terminal, { record, view: await nodeView(rpc), sentence }, options)
    })
  withResult(node.command('enable <node>'))
    .description('Enable a node, by hostname or id: deployments to its cluster reach it again')
    .action((nameOrId: string, options: ResultOptions) => change(nameOrId, { enabled: true }, 'enabled', options))
  withResult(node.command('disable <node>'))
    .description('Disable a node, by hostname or id: deployments to its cluster leave it out')
    .action((nameOrId: string, options: ResultOptions) => change(nameOrId, { enabled: false }, 'disabled', options))
  addMaintenance(node, change)
  withResult(node.command('set <node>'))
    .description('Set addresses of a node, by hostname or id. Its agent no longer changes them.')
    .option('--cluster-ip <address>', 'address in the network of the cluster; null: none')
    .option('--outward-ip <address>', 'address that clients use; null: none')
    .option('--replication-ip <address>', 'address in the network of replication; null: none')
    .action((nameOrId: string, { clusterIp, outwardIp, replicationIp, ...options }: AddressFlags) => {
      const values = {
        ...(clusterIp !== undefined && { cluster_facing_ip: orNull(clusterIp) }),
        ...(outwardIp !== undefined && { outward_facing_ip: orNull(outwardIp) }),
        ...(replicationIp !== undefined && { replication_facing_ip: orNull(replicationIp) }),
      }
      if (Object.keys(values).length === 0)
        throw new CommandError('Nothing to change. --help lists the fields.', exitCodes.usage)
      return change(nameOrId, values, 'changed', options)
    })
  withOutput(node.command('hardware <node>'))
    .description('Show the hardware of a node, by hostname or id')
    .action((nameOrId: string, options: OutputOptions) =>
      withApi(config(), async ({ nodes }) => {
        const { id } = await nodeOf(nodes, nameOrId)
        const hardware = await nodes.hardware.query({ id })
        if (isStructured(options)) await printValue(terminal, hardware, options)
        else await print(terminal, hardwareRows(hardware), hardwareView, options)
      }),
    )
}

type Change = (nameOrId: string, values: NodeChange, done: string, options: ResultOptions) => Promise<void>

function addMaintenance(node: Command, change: Change): void {
  withResult(node.command('maintenance <node>'))
    .description('Make the alerts of a node silent while you work on it, by hostname or id')
    .addOption(new Option('--for <time>', 'for so long, such as 2h').argParser(parseDuration).conflicts('end'))
    .addOption(new Option('--end', 'end it now'))
    .action((nameOrId: string, { for: forSeconds, end = false, ...options }: MaintenanceFlags) => {
      if (forSeconds === undefined && !end) throw new CommandError('Give --for TIME or --end.', exitCodes.usage)
      const until = forSeconds === undefined ? null : new Date(Date.now() + forSeconds * 1_000).toISOString()
      const done = until === null ? 'is no longer in maintenance' : `is in maintenance until ${until}`
      return change(nameOrId, { maintenance_until: until }, done, options)
    })
}

function orNull(text: string): string | null {
  return text === 'null' ? null : text
}
