import type { ApiKey, ApiKeyState } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { Prisma } from '@roost/database'
import type { Transaction } from '../database/transaction.js'
import type { Database } from '../database/database.js'
import { lockInserts } from '../database/insert-order.js'
import { tableStore } from '../database/table-store.js'
import type { ReadStore } from '../services/reads.js'

export interface NewKey {
  readonly operatorId: number
  readonly digest: Uint8Array<ArrayBuffer>
  readonly label: string
  readonly createdAt: Date
  readonly expiresAt: Date | null
}

export interface KeyStore extends ReadStore<ApiKey> {
  /** Keeps others from changing the key until the transaction ends. */
  findForUpdate(tx: Transaction, id: number): Promise<ApiKey | undefined>
  /** The operator's name; undefined where there is none. Keeps it from being removed until the transaction ends. */
  operatorName(tx: Transaction, operatorId: number): Promise<string | undefined>
  insert(tx: Transaction, key: NewKey): Promise<ApiKey>
  update(
    tx: Transaction,
    id: number,
    times: { readonly expiresAt: Date } | { readonly revokedAt: Date },
  ): Promise<ApiKey>
}

// Never the digest: what is not read cannot leak.
const select = {
  id: true,
  operatorId: true,
  label: true,
  createdAt: true,
  expiresAt: true,
  revokedAt: true,
  lastUsedAt: true,
  operator: { select: { name: true } },
} as const
type Row = Prisma.ApiKeyGetPayload<{ select: typeof select }>

/** `now`: Unix milliseconds. */
export function createKeyStore(database: Database, now: () => number): KeyStore {
  const recordOf = (row: Row) => keyOf(row, new Date(now()))
  const table = tableStore(database, resources.apiKeys, {
    model: 'ApiKey',
    columns: { operator: 'operatorId' },
    shown: { select },
    only: () => ({ kind: 'key' }),
    recordOf,
  })
  return {
    ...table,
    async operatorName(tx, operatorId) {
      const rows = await tx.$queryRaw<{ name: string }[]>`
        select name from operators where id = ${operatorId} for key share`
      return rows[0]?.name
    },
    async insert(tx, data) {
      await lockInserts(tx, 'api_keys')
      return recordOf(await tx.apiKey.create({ select, data }))
    },
    update: async (tx, id, data) => recordOf(await tx.apiKey.update({ select, where: { id }, data })),
  }
}

export function stateOf({ expiresAt, revokedAt }: Pick<Row, 'expiresAt' | 'revokedAt'>, at: Date): ApiKeyState {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt <= at ? 'expired' : 'active'
}

function keyOf(row: Row, at: Date): ApiKey {
  return {
    id: row.id,
    operator: row.operatorId,
    operator_name: row.operator.name,
    label: row.label,
    state: stateOf(row, at),
    created: row.createdAt.toISOString(),
    expires: row.expiresAt?.toISOString() ?? null,
    revoked: row.revokedAt?.toISOString() ?? null,
    last_used: row.lastUsedAt?.toISOString() ?? null,
  }
}
