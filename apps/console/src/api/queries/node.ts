import { queryOptions } from '@tanstack/react-query'
import { refetchInterval } from '../connection.js'
import { rpc } from '../client.js'

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

export const nodeDevices = (id: number) =>
  queryOptions({
    queryKey: ['devices', 'node', id],
    queryFn: ({ signal }) =>
      rpc.devices.list.query({ filters: { node: id }, order_by: ['name'], limit: 1000 }, { signal }),
    refetchInterval,
  })
