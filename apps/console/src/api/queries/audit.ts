import { byNames } from '@roost/api-types/browser'
import { queryOptions } from '@tanstack/react-query'
import { refetchInterval } from '../connection.js'
import { rpc } from '../client.js'
import type { ListSource } from '../use-pages.js'
import type { Filters } from './filters.js'
import type { inferOutput } from './output.js'

export type AuditRecord = inferOutput<typeof rpc.auditEvents.get.query>

export const latestChanges = (limit: number) =>
  queryOptions({
    queryKey: ['audit', 'latest', limit],
    queryFn: ({ signal }) => rpc.auditEvents.list.query({ order_by: ['-id'], limit }, { signal }),
    refetchInterval,
  })

/** Who changed a record, the latest first. */
export const changesOf = (resource: string, id: number) =>
  queryOptions({
    queryKey: ['audit', resource, id],
    queryFn: ({ signal }) =>
      rpc.auditEvents.list.query({ filters: { resource, resource_id: id }, order_by: ['-id'], limit: 100 }, { signal }),
    refetchInterval,
  })

export const auditList = (filters: Filters, order: string): ListSource<AuditRecord> => ({
  name: 'audit',
  key: ['audit', filters, order],
  read: (slice, signal) => rpc.auditEvents.list.query(byNames({ filters, order_by: [order], ...slice }), { signal }),
})

export const auditEvent = (id: number) =>
  queryOptions({
    queryKey: ['audit', 'one', id],
    queryFn: ({ signal }) => rpc.auditEvents.get.query({ id }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
