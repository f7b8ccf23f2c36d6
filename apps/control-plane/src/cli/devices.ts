import { byNames } from '@roost/api-types'
import { idOfUri } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../config.js'
import { findCluster, findDevice, listAll, nodeOf, withApi } from './client/api.js'
import type { DeviceRecord } from './client/api.js'
import { hostnamesByUri } from './records/fields.js'
import { bytes, moment, state } from './terminal/cells.js'
import { confirmLoss, yesFlag } from './terminal/confirm.js'
import type { ConfirmFlags } from './terminal/confirm.js'
import { print, printOne, withOutput } from './terminal/output.js'
import type { OutputOptions, View } from './terminal/output.js'
import { watched, withWatch } from './terminal/watch.js'
import type { WatchOptions } from './terminal/watch.js'
import type { Terminal } from './terminal/terminal.js'

interface DeviceFlags extends OutputOptions, WatchOptions {
  readonly cluster?: string
  readonly node?: string
  readonly q?: string
  readonly status?: string
  readonly statusNot?: string
  readonly sortBy?: string
}

export function addDevices(program: Command, config: () => Config, terminal: Terminal): void {
  const { out } = terminal
  const device = program.command('device').description('Manage devices')
  addList(device, config, terminal)
  withWatch(withOutput(device.command('show <device>')))
    .description('Show a device, by id, name, serial number or UUID')
    .action((nameOrId: string, options: OutputOptions & WatchOptions) =>
      watched(terminal, options, () =>
        withApi(config(), async (rpc) => {
          const record = await findDevice(rpc, nameOrId)
          const { hostname } = await rpc.nodes.get.query({ id: idOfUri('nodes', record.node) ?? 0 })
          await printOne(terminal, record, viewWith(new Map([[record.node, hostname]])), options)
        }),
      ),
    )
  device
    .command('remove <device>')
    .description('Remove the record of a device that is retired or missing')
    .option(...yesFlag)
    .action((nameOrId: string, flags: ConfirmFlags) =>
      withApi(config(), async (rpc) => {
        const { id, name } = await findDevice(rpc, nameOrId)
        await confirmLoss(terminal, flags, { loss: `This removes the record of device ${name} (${id}).`, name })
        await rpc.devices.remove.mutate({ id })
        out.write(`device ${name} (${id}) removed\n`)
      }),
    )
}

function addList(device: Command, config: () => Config, terminal: Terminal): void {
  withWatch(withOutput(device.command('list')))
    .description('List devices')
    .option('--cluster <cluster>', 'only devices of this cluster, by name or id')
    .option('--q <text>', 'only devices with this text in their name, serial number, mount point or host name')
    .option('--status <status>', 'only devices with this status, such as retired')
    .option('--status-not <statuses>', 'without devices with these statuses, such as ok or ok,retired')
    .option('--node <node>', 'only devices of this node, by hostname or id')
    .option('--sort-by <field>', 'order by a field of the API, such as days_until_full or -id')
    .action(({ cluster, node, q, status, statusNot, sortBy, ...options }: DeviceFlags) =>
      watched(terminal, options, () =>
        withApi(config(), async (rpc) => {
          const filters = {
            ...(cluster === undefined ? {} : { cluster: (await findCluster(rpc, cluster)).id }),
            ...(node === undefined ? {} : { node: (await nodeOf(rpc.nodes, node)).id }),
            ...(q === undefined ? {} : { q }),
            ...(status === undefined ? {} : { status }),
            ...(statusNot === undefined ? {} : { status__not: statusNot.split(',') }),
          }
          const order = sortBy === undefined ? {} : { order_by: [sortBy] }
          const records = await listAll((range) => rpc.devices.list.query(byNames({ ...range, filters, ...order })))
          await print(terminal, records, viewWith(await hostnamesByUri(rpc)), options)
        }),
      ),
    )
}

function viewWith(hostnames: ReadonlyMap<string, string>): View<DeviceRecord> {
  return {
    columns: {
      ID: ({ id }) => id,
      NODE: ({ node }) => hostnames.get(node),
      NAME: ({ name }) => name,
      STATUS: ({ status }) => state(status),
      POLICIES: ({ policies }) => policies.join(','),
      'USED %': ({ used_pct: used }) => used?.toFixed(1),
      'LAST SEEN': ({ last_seen: seen }) => moment(seen),
    },
    wide: {
      SIZE: ({ size_bytes: size }) => bytes(size),
      SERIAL: ({ serial }) => serial,
      MODEL: ({ model }) => model,
      'MOUNT POINT': ({ mount_point: path }) => path,
      UUID: ({ uuid }) => uuid,
      DRAINED: ({ is_drained: isDrained }) => isDrained,
    },
    name: ({ id }) => id,
  }
}
