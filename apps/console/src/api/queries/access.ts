import { queryOptions } from '@tanstack/react-query'
import { refetchInterval } from '../connection.js'
import { rpc } from '../client.js'
import type { inferOutput } from './output.js'

export type OperatorRecord = inferOutput<typeof rpc.operators.get.query>
export type KeyRecord = inferOutput<typeof rpc.apiKeys.get.query>
export type SessionRecord = inferOutput<typeof rpc.sessions.get.query>

/** There are few people and programs; more are in the command line. */
const most = 1000

export const operators = () =>
  queryOptions({
    queryKey: ['access', 'operators'],
    queryFn: async ({ signal }) =>
      (await rpc.operators.list.query({ order_by: ['name'], limit: most }, { signal })).objects,
  })

/** The newest first. */
export const keys = () =>
  queryOptions({
    queryKey: ['access', 'keys'],
    queryFn: async ({ signal }) =>
      (await rpc.apiKeys.list.query({ order_by: ['-id'], limit: most }, { signal })).objects,
  })

export const sessions = () =>
  queryOptions({
    queryKey: ['access', 'sessions'],
    queryFn: async ({ signal }) =>
      (await rpc.sessions.list.query({ order_by: ['-id'], limit: most }, { signal })).objects,
  })

/** Which of the sessions is the one of this browser. */
export const currentSession = () =>
  queryOptions({
    queryKey: ['access', 'current'],
    queryFn: ({ signal }) => rpc.sessions.current.query(undefined, { signal }),
  })

/** Tokens with which a node can still enroll. */
export const tokens = () =>
  queryOptions({
    queryKey: ['access', 'tokens'],
    queryFn: ({ signal }) => rpc.tokens.list.query(undefined, { signal }),
    refetchInterval,
  })
