import type { Operator } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { Prisma } from '@roost/database'
import type { Database } from '../database/database.js'
import { lockInserts } from '../database/insert-order.js'
import { tableStore } from '../database/table-store.js'
import type { Transaction } from '../database/transaction.js'
import { stateOf } from './key-store.js'

export type OperatorStore = ReturnType<typeof createOperatorStore>

const shown = {
  include: { keys: { select: { kind: true, expiresAt: true, revokedAt: true, lastUsedAt: true } } },
} as const
type Row = Prisma.OperatorGetPayload<typeof shown>

/** `now`: Unix milliseconds. */
export function createOperatorStore(database: Database, now: () => number) {
  const table = tableStore(database, resources.operators, {
    model: 'Operator',
    shown,
    recordOf: (row) => operatorOf(row, new Date(now())),
  })
  return {
    ...table,
    /** Keeps others from changing any operator until the transaction ends: the last administrator must stay one. */
    async findForUpdate(tx: Transaction, id: number) {
      await lockInserts(tx, 'operators')
      return table.findForUpdate(tx, id)
    },
    /** Enabled administrators other than this one. */
    countOtherAdmins: async (tx: Transaction, id: number): Promise<number> =>
      tx.operator.count({ where: { role: 'admin', enabled: true, id: { not: id } } }),
  }
}

function operatorOf({ id, name, role, enabled, createdAt, keys }: Row, at: Date): Operator {
  const uses = keys.flatMap(({ lastUsedAt }) => lastUsedAt ?? []).toSorted((one, other) => Number(other) - Number(one))
  return {
    id,
    name,
    role: role === 'admin' ? 'admin' : 'read_only',
    enabled,
    created: createdAt.toISOString(),
    keys: keys.filter((key) => key.kind === 'key' && stateOf(key, at) === 'active').length,
    last_used: uses[0]?.toISOString() ?? null,
  }
}
