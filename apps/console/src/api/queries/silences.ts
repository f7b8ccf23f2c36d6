import { queryOptions } from '@tanstack/react-query'
import { refetchInterval } from '../connection.js'
import { rpc } from '../client.js'
import { idIn } from '../uri.js'
import type { ListSource } from '../use-pages.js'
import type { inferOutput } from './output.js'

type Silence = inferOutput<typeof rpc.alertSilences.get.query>

/** A silence with the names of what it matches; empty for what it does not name. */
export interface SilenceRecord extends Silence {
  readonly hostname: string
  readonly deviceName: string
}

/** They end by themselves, so that there are few. */
const most = 1000

/** Those that end last come first. */
export const readSilences: ListSource<Silence>['read'] = (slice, signal) =>
  rpc.alertSilences.list.query({ order_by: ['-ends_at'], ...slice }, { signal })

/** A change of them changes alerts. */
export const silences = () =>
  queryOptions({
    queryKey: ['alerts', 'silences'],
    queryFn: async ({ signal }): Promise<readonly SilenceRecord[]> => {
      const { objects } = await readSilences({ limit: most, offset: 0 }, signal)
      const idsOf = (name: 'node' | 'device') =>
        [...new Set(objects.flatMap(({ matchers }) => matchers[name] ?? []))].map(idIn)
      const [nodes, devices] = await Promise.all([
        rpc.nodes.getMany.query({ ids: idsOf('node') }, { signal }),
        rpc.devices.getMany.query({ ids: idsOf('device') }, { signal }),
      ])
      const hosts = new Map(nodes.map(({ resource_uri: uri, hostname }) => [uri, hostname]))
      const names = new Map(devices.map(({ resource_uri: uri, name }) => [uri, name]))
      return objects.map((silence) => ({
        ...silence,
        hostname: hosts.get(silence.matchers.node ?? '') ?? '',
        deviceName: names.get(silence.matchers.device ?? '') ?? '',
      }))
    },
    refetchInterval,
  })

/** The devices of the nodes with this host name, or of one of them. A name can be that of several, such as a disk and the one before it. */
export const devicesOfHost = (cluster: number, hostname: string, node?: number) =>
  queryOptions({
    queryKey: ['devices', 'host', cluster, hostname, node],
    queryFn: async ({ signal }) => {
      const filters = { cluster, node__hostname: hostname, ...(node === undefined ? {} : { node }) }
      return (await rpc.devices.list.query({ filters, order_by: ['name'], limit: most }, { signal })).objects
    },
    enabled: hostname !== '',
  })
