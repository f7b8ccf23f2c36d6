import { queryOptions } from '@tanstack/react-query'
import { refetchInterval } from '../connection.js'
import { rpc } from '../client.js'
import type { ListSource } from '../use-pages.js'
import type { inferOutput } from './output.js'

export type OperatorRecord = inferOutput<typeof rpc.operators.get.query>
export type KeyRecord = inferOutput<typeof rpc.apiKeys.get.query>
export type SessionRecord = inferOutput<typeof rpc.sessions.get.query>

/** There are few people and programs; more are in the command line. */
const first = { limit: 1000, offset: 0 }

export const readOperators: ListSource<OperatorRecord>['read'] = (slice, signal) =>
  rpc.operators.list.query({ order_by: ['name'], ...slice }, { signal })

export const operators = () =>
  queryOptions({
    queryKey: ['access', 'operators'],
    queryFn: async ({ signal }) => (await readOperators(first, signal)).objects,
  })

/** The newest first. */
export const readKeys: ListSource<KeyRecord>['read'] = (slice, signal) =>
  rpc.apiKeys.list.query({ order_by: ['-id'], ...slice }, { signal })

export const keys = () =>
  queryOptions({
    queryKey: ['access', 'keys'],
    queryFn: async ({ signal }) => (await readKeys(first, signal)).objects,
  })

export const readSessions: ListSource<SessionRecord>['read'] = (slice, signal) =>
  rpc.sessions.list.query({ order_by: ['-id'], ...slice }, { signal })

export const sessions = () =>
  queryOptions({
    queryKey: ['access', 'sessions'],
    queryFn: async ({ signal }) => (await readSessions(first, signal)).objects,
  })

/** Which of the sessions is the one of this browser. */
export const currentSession = () =>
  queryOptions({
    queryKey: ['access', 'current'],
    queryFn: ({ signal }) => rpc.sessions.current.query(undefined, { signal }),
  })

type TokenRecord = inferOutput<typeof rpc.tokens.list.query>[number]

/** The server has no pages of tokens. */
export const readTokens: ListSource<TokenRecord>['read'] = async (_, signal) => {
  const objects = await rpc.tokens.list.query(undefined, { signal })
  return { objects, total: objects.length }
}

/** Tokens with which a node can still enroll. */
export const tokens = () =>
  queryOptions({
    queryKey: ['access', 'tokens'],
    queryFn: async ({ signal }) => (await readTokens(first, signal)).objects,
    refetchInterval,
  })
