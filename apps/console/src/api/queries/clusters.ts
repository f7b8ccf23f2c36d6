import { queryOptions } from '@tanstack/react-query'
import { refetchInterval } from '../connection.js'
import { rpc } from '../client.js'

const slowMs = 60_000

export const clusters = () =>
  queryOptions({
    queryKey: ['clusters'],
    queryFn: ({ signal }) => rpc.clusters.list.query({ limit: 1000, order_by: ['name'] }, { signal }),
    staleTime: slowMs,
  })

export const capacity = (id: number) =>
  queryOptions({
    queryKey: ['capacity', id],
    queryFn: ({ signal }) => rpc.clusters.capacity.query({ id }, { signal }),
    refetchInterval,
  })

export const forecast = (id: number) =>
  queryOptions({
    queryKey: ['forecast', id],
    queryFn: ({ signal }) => rpc.clusters.forecast.query({ id }, { signal }),
    staleTime: slowMs,
  })

/** How many nodes and devices are in which state. */
export const summary = (id: number) =>
  queryOptions({
    queryKey: ['summary', id],
    queryFn: ({ signal }) => rpc.clusters.summary.query({ id }, { signal }),
    refetchInterval,
  })

export const health = (id: number) =>
  queryOptions({
    queryKey: ['health', id],
    queryFn: ({ signal }) => rpc.clusters.health.query({ id }, { signal }),
    refetchInterval,
  })
