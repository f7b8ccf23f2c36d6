import { queryOptions } from '@tanstack/react-query'
import { refetchInterval } from '../connection.js'
import { rpc } from '../client.js'
import type { ListSource } from '../use-pages.js'
import type { DeviceRecord } from './devices.js'

const slowMs = 60_000

export const node = (id: number) =>
  queryOptions({
    queryKey: ['nodes', id],
    queryFn: ({ signal }) => rpc.nodes.get.query({ id }, { signal }),
    refetchInterval,
  })

export const nodeHardware = (id: number) =>
  queryOptions({
    queryKey: ['nodes', id, 'hardware'],
    queryFn: ({ signal }) => rpc.nodes.hardware.query({ id }, { signal }),
    staleTime: slowMs,
  })

export const readDevicesOf =
  (node: number): ListSource<DeviceRecord>['read'] =>
  (slice, signal) =>
    rpc.devices.list.query({ filters: { node }, order_by: ['name'], ...slice }, { signal })

export const nodeDevices = (id: number) =>
  queryOptions({
    queryKey: ['devices', 'node', id],
    queryFn: ({ signal }) => readDevicesOf(id)({ limit: 1000, offset: 0 }, signal),
    refetchInterval,
  })
