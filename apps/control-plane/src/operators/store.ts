import { operatorRules } from '@roost/api-types/rest'
import type { Operator, OperatorChange, OperatorInput } from '@roost/api-types/rest'
import type { Prisma } from '@roost/database'
import type { Transaction } from '../database/transaction.js'
import type { Database } from '../database/database.js'
import { lockInserts } from '../database/insert-order.js'
import { conditions, ordering } from '../database/listing.js'
import type { FilterTable, OrderTable } from '../database/listing.js'
import type { ReadStore } from '../services/reads.js'
import { stateOf } from './key-store.js'

export interface OperatorStore extends ReadStore<Operator> {
  /** Keeps others from changing any operator until the transaction ends: the last administrator must stay one. */
  lock(tx: Transaction): Promise<void>
  findIn(tx: Transaction, id: number): Promise<Operator | undefined>
  isTaken(tx: Transaction, name: string): Promise<boolean>
  /** Enabled administrators other than this one. */
  countOtherAdmins(tx: Transaction, id: number): Promise<number>
  insert(tx: Transaction, input: OperatorInput): Promise<Operator>
  update(tx: Transaction, id: number, change: OperatorChange): Promise<Operator>
  /** With its keys. */
  delete(tx: Transaction, id: number): Promise<void>
}

const filters: FilterTable<typeof operatorRules, Prisma.OperatorWhereInput> = {
  id: (ids) => ({ id: { in: ids } }),
  name: (names) => ({ name: { in: names } }),
  role: (roles) => ({ role: { in: roles } }),
  enabled: (values) => ({ OR: values.map((enabled) => ({ enabled })) }),
}

const orders: OrderTable<typeof operatorRules, Prisma.OperatorOrderByWithRelationInput> = {
  id: (id) => ({ id }),
  name: (name) => ({ name }),
  role: (role) => ({ role }),
  enabled: (enabled) => ({ enabled }),
}

const include = { keys: { select: { expiresAt: true, revokedAt: true, lastUsedAt: true } } } as const
type Row = Prisma.OperatorGetPayload<{ include: typeof include }>

/** `now`: Unix milliseconds. */
export function createOperatorStore({ prisma }: Database, now: () => number): OperatorStore {
  const recordOf = (row: Row) => operatorOf(row, new Date(now()))
  return {
    async list(query) {
      const where = { AND: conditions(operatorRules, filters, query.filters) }
      const orderBy = ordering(operatorRules, orders, query.order)
      const [rows, total] = await Promise.all([
        prisma.operator.findMany({ where, orderBy, skip: query.offset, take: query.limit, include }),
        prisma.operator.count({ where }),
      ])
      return { objects: rows.map(recordOf), total }
    },
    async find(id) {
      const row = await prisma.operator.findUnique({ where: { id }, include })
      return row === null ? undefined : recordOf(row)
    },
    async findMany(ids) {
      return (await prisma.operator.findMany({ where: { id: { in: [...ids] } }, include })).map(recordOf)
    },
    lock: (tx) => lockInserts(tx, 'operators'),
    async findIn(tx, id) {
      const row = await tx.operator.findUnique({ where: { id }, include })
      return row === null ? undefined : recordOf(row)
    },
    isTaken: async (tx, name) => (await tx.operator.count({ where: { name } })) > 0,
    countOtherAdmins: (tx, id) => tx.operator.count({ where: { role: 'admin', enabled: true, id: { not: id } } }),
    insert: async (tx, data) => recordOf(await tx.operator.create({ data, include })),
    async update(tx, id, { role, enabled }) {
      const data = { ...(role === undefined ? {} : { role }), ...(enabled === undefined ? {} : { enabled }) }
      return recordOf(await tx.operator.update({ where: { id }, data, include }))
    },
    async delete(tx, id) {
      await tx.operator.delete({ where: { id } })
    },
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
    keys: keys.filter((key) => stateOf(key, at) === 'active').length,
    last_used: uses[0]?.toISOString() ?? null,
  }
}
