import { resourceUri } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../config.js'
import { findCluster, listAll, withApi } from './client/api.js'
import type { Rpc } from './client/api.js'
import { CommandError, exitCodes } from './terminal/exit-codes.js'
import { outputOption, render } from './terminal/output.js'
import type { Columns, OutputOptions } from './terminal/output.js'
import type { Terminal } from './terminal/terminal.js'

interface DeviceFlags extends OutputOptions {
  readonly cluster?: string
  readonly status?: string
}

type DeviceRecord = Awaited<ReturnType<Rpc['devices']['get']['query']>>

export function addDevices(program: Command, config: () => Config, { out }: Terminal): void {
  const device = program.command('device').description('Manage devices')
  device
    .command('list')
    .description('List devices')
    .option('--cluster <cluster>', 'only devices of this cluster, by name or id')
    .option('--status <status>', 'only devices with this status, such as retired')
    .addOption(outputOption())
    .action(({ cluster, status, ...options }: DeviceFlags) =>
      withApi(config(), async (rpc) => {
        const filters = {
          ...(cluster === undefined ? {} : { cluster: (await findCluster(rpc, cluster)).id }),
          ...(status === undefined ? {} : { status }),
        }
        const nodes = await listAll((range) => rpc.nodes.list.query(range))
        const hostnames = new Map(nodes.map(({ id, hostname }) => [resourceUri('nodes', id), hostname]))
        const records = await listAll((range) => rpc.devices.list.query({ ...range, filters }))
        out.write(render(records, columnsWith(hostnames), options))
      }),
    )
  device
    .command('remove <id>')
    .description('Remove the record of a device that is retired or missing')
    .action((id: string) =>
      withApi(config(), async ({ devices }) => {
        const { name } = await devices.get.query({ id: parseId(id) })
        await devices.remove.mutate({ id: parseId(id) })
        out.write(`device ${name} (${id}) removed\n`)
      }),
    )
}

function parseId(text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new CommandError(`'${text}' is not a device id. Use the ID that "roost device list" shows.`, exitCodes.usage)
  return Number(text)
}

function columnsWith(hostnames: ReadonlyMap<string, string>): Columns<DeviceRecord> {
  return {
    ID: ({ id }) => id,
    NODE: ({ node }) => hostnames.get(node),
    NAME: ({ name }) => name,
    STATUS: ({ status }) => status,
    POLICIES: ({ policies }) => policies.join(','),
    'USED %': ({ used_pct: used }) => used?.toFixed(1),
    'LAST SEEN': ({ last_seen: seen }) => seen,
  }
}
