import { byNames } from '@roost/api-types/browser'
import { queryOptions } from '@tanstack/react-query'
import { rpc } from '../client.js'
import type { ListSource } from '../use-pages.js'
import type { inferOutput } from './output.js'
import type { Filters } from './filters.js'

export type ShareRecord = inferOutput<typeof rpc.gatewayShares.get.query>
export type SessionsOfShare = inferOutput<typeof rpc.gatewayShares.sessions.query>

export const shareList = (filters: Filters, order: string): ListSource<ShareRecord> => ({
  name: 'shares',
  key: ['shares', filters, order],
  read: (slice, signal) => rpc.gatewayShares.list.query(byNames({ filters, order_by: [order], ...slice }), { signal }),
})

/** With the ETag that a change of it sends. */
export const share = (id: number) =>
  queryOptions({
    queryKey: ['shares', 'one', id],
    queryFn: ({ signal }) => rpc.gatewayShares.getWithEtag.query({ id }, { signal }),
  })

/** What clients have written and is not in Swift. Only the gateway knows, so that it fails while the gateway is away. */
export const shareUploads = (id: number) =>
  queryOptions({
    queryKey: ['shares', 'uploads', id],
    queryFn: ({ signal }) => rpc.gatewayShares.uploads.query({ id }, { signal }),
    refetchInterval: 10_000,
    retry: false,
  })

/** The clients of a share. A plan of the gateway has them, which takes it a second: no change of another share asks for one. */
export const shareSessions = (id: number) =>
  queryOptions({
    queryKey: ['sessions of share', id],
    queryFn: ({ signal }) => rpc.gatewayShares.sessions.query({ id }, { signal }),
    refetchInterval: 60_000,
    retry: false,
  })
