import type { Session } from '@roost/api-types/rest'
import { resourceUri } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { Prisma } from '@roost/database'
import type { Database } from '../database/database.js'
import { lockInserts } from '../database/insert-order.js'
import { tableStore } from '../database/table-store.js'
import type { Transaction } from '../database/transaction.js'
import type { ReadStore } from '../services/reads.js'
import { sessionIdleMs } from './authentication-store.js'

export interface NewSession {
  readonly operatorId: number
  readonly parentId: number
  readonly digest: Uint8Array<ArrayBuffer>
  readonly client: string
  readonly address: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** Sessions are rows of `api_keys`, so that authentication, rates and streams know them. Only those that work are records. */
export interface SessionStore extends ReadStore<Session> {
  insert(tx: Transaction, session: NewSession): Promise<Session>
  /** Removes the sessions of an operator beyond the newest `kept`. */
  deleteBeyond(tx: Transaction, operatorId: number, kept: number): Promise<void>
  /** Removes a session; returns it, or undefined where there is none. */
  delete(tx: Transaction, id: number): Promise<Session | undefined>
}

// Never the digest: what is not read cannot leak.
const select = {
  id: true,
  operatorId: true,
  parentId: true,
  label: true,
  address: true,
  createdAt: true,
  expiresAt: true,
  lastUsedAt: true,
  operator: { select: { name: true } },
} as const
type Row = Prisma.ApiKeyGetPayload<{ select: typeof select }>

/** `now`: Unix milliseconds. */
export function createSessionStore(database: Database, now: () => number): SessionStore {
  const table = tableStore(database, resources.sessions, {
    model: 'ApiKey',
    columns: { operator: 'operatorId', key: 'parentId' },
    shown: { select },
    only: () => works(new Date(now())),
    recordOf: sessionOf,
  })
  return {
    list: (query) => table.list(query),
    find: (id) => table.find(id),
    findMany: (ids) => table.findMany(ids),
    async insert(tx, { client, ...row }) {
      await lockInserts(tx, 'api_keys')
      return sessionOf(await tx.apiKey.create({ select, data: { ...row, label: client, kind: 'session' } }))
    },
    async deleteBeyond(tx, operatorId, kept) {
      await tx.$executeRaw`delete from api_keys where id in (
        select id from api_keys where kind = 'session' and operator_id = ${operatorId} order by id desc offset ${kept})`
    },
    async delete(tx, id) {
      await tx.$queryRaw`select id from api_keys where id = ${id} for update`
      const row = await tx.apiKey.findUnique({ select, where: { id, ...works(new Date(now())) } })
      if (row === null) return undefined
      await tx.apiKey.delete({ where: { id } })
      return sessionOf(row)
    },
  }
}

/** The condition of sessions that authentication accepts. */
function works(at: Date) {
  const idleSince = new Date(at.getTime() - sessionIdleMs)
  return {
    kind: 'session',
    expiresAt: { gt: at },
    operator: { enabled: true },
    parent: { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: at } }] },
    OR: [{ lastUsedAt: { gt: idleSince } }, { lastUsedAt: null, createdAt: { gt: idleSince } }],
  } satisfies Prisma.ApiKeyWhereInput
}

function sessionOf(row: Row): Session {
  return {
    id: row.id,
    resource_uri: resourceUri('sessions', row.id),
    operator: row.operatorId,
    operator_name: row.operator.name,
    key: row.parentId ?? 0,
    client: row.label,
    address: row.address,
    created: row.createdAt.toISOString(),
    expires: (row.expiresAt ?? row.createdAt).toISOString(),
    last_used: row.lastUsedAt?.toISOString() ?? null,
  }
}
