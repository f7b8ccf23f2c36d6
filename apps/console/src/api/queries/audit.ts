import { queryOptions } from '@tanstack/react-query'
import { rpc } from '../client.js'
import type { inferOutput } from './output.js'

export type AuditRecord = inferOutput<typeof rpc.auditEvents.get.query>

export const latestChanges = (limit: number) =>
  queryOptions({
    queryKey: ['audit', 'latest', limit],
    queryFn: ({ signal }) => rpc.auditEvents.list.query({ order_by: ['-id'], limit }, { signal }),
    refetchInterval: 15_000,
  })
