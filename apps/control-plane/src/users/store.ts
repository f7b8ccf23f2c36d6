import { resourceUri, userRules } from '@roost/api-types/rest'
import type { User } from '@roost/api-types/rest'
import type { Prisma } from '@roost/database'
import type { Transaction } from '../audit/store.js'
import type { Database } from '../db.js'
import { lockInserts } from '../insert-order-store.js'
import { conditions, ordering } from '../listing.js'
import type { FilterTable, OrderTable } from '../listing.js'
import type { ReadStore } from '../reads.js'

/** `revision` rises with each change, also with one that the record does not show. */
export type StoredUser = User & { readonly revision: number }

export type NewUser = Omit<Prisma.UserUncheckedCreateInput, 'id' | 'createdAt' | 'revision'>
export type UserUpdate = Partial<Pick<NewUser, 'password' | 'isSuperuser' | 'enabled'>>

export interface UserStore extends ReadStore<StoredUser> {
  /** Keeps others from changing the row until the transaction ends. */
  findForUpdate(tx: Transaction, id: number): Promise<StoredUser | undefined>
  /** Keeps others from inserting users until the transaction ends; false when there is no such cluster. */
  lockCluster(tx: Transaction, clusterId: number): Promise<boolean>
  count(tx: Transaction, clusterId: number): Promise<number>
  /** The name of a user of the cluster that has one of the keys, and whether it is the name's. */
  findClash(
    tx: Transaction,
    keys: Pick<NewUser, 'clusterId' | 'nameKey' | 'lineKey'>,
  ): Promise<{ readonly user: string; readonly ofName: boolean } | undefined>
  insert(tx: Transaction, user: NewUser): Promise<StoredUser>
  update(tx: Transaction, id: number, update: UserUpdate): Promise<StoredUser>
  delete(tx: Transaction, id: number): Promise<void>
}

// Never the password: what is not read cannot leak.
const select = { id: true, clusterId: true, name: true, isSuperuser: true, enabled: true, revision: true } as const
type Row = Prisma.UserGetPayload<{ select: typeof select }>

const filters: FilterTable<typeof userRules, Prisma.UserWhereInput> = {
  id: (ids) => ({ id: { in: ids } }),
  cluster: (ids) => ({ clusterId: { in: ids } }),
  cluster__id: (ids) => ({ clusterId: { in: ids } }),
  cluster__name: (names) => ({ cluster: { name: { in: names } } }),
  cluster__uuid: (uuids) => ({ cluster: { uuid: { in: uuids } } }),
  user: (names) => ({ name: { in: names } }),
}

const orders: OrderTable<typeof userRules, Prisma.UserOrderByWithRelationInput> = {
  id: (id) => ({ id }),
  cluster: (clusterId) => ({ clusterId }),
  user: (name) => ({ name }),
  is_superuser: (isSuperuser) => ({ isSuperuser }),
  enabled: (enabled) => ({ enabled }),
}

export function createUserStore({ prisma }: Database): UserStore {
  return {
    async list(query) {
      const where = { AND: conditions(userRules, filters, query.filters) }
      const orderBy = ordering(userRules, orders, query.order)
      const [rows, total] = await Promise.all([
        prisma.user.findMany({ select, where, orderBy, skip: query.offset, take: query.limit }),
        prisma.user.count({ where }),
      ])
      return { objects: rows.map(recordOf), total }
    },
    async find(id) {
      const row = await prisma.user.findUnique({ select, where: { id } })
      return row === null ? undefined : recordOf(row)
    },
    async findMany(ids) {
      return (await prisma.user.findMany({ select, where: { id: { in: [...ids] } } })).map(recordOf)
    },
    async findForUpdate(tx, id) {
      await tx.$queryRaw`select id from users where id = ${id} for update`
      const row = await tx.user.findUnique({ select, where: { id } })
      return row === null ? undefined : recordOf(row)
    },
    async lockCluster(tx, clusterId) {
      await lockInserts(tx, 'users')
      const clusters = await tx.$queryRaw<unknown[]>`select id from clusters where id = ${clusterId} for key share`
      return clusters.length > 0
    },
    count: (tx, clusterId) => tx.user.count({ where: { clusterId } }),
    async findClash(tx, { clusterId, nameKey, lineKey }) {
      const where = { clusterId, OR: [{ nameKey }, { lineKey }] }
      const row = await tx.user.findFirst({ select: { name: true, nameKey: true }, where })
      return row === null ? undefined : { user: row.name, ofName: row.nameKey === nameKey }
    },
    insert: async (tx, data) => recordOf(await tx.user.create({ select, data })),
    update: async (tx, id, update) =>
      recordOf(await tx.user.update({ select, where: { id }, data: { ...update, revision: { increment: 1 } } })),
    async delete(tx, id) {
      await tx.user.delete({ where: { id } })
    },
  }
}

function recordOf({ id, clusterId, name, isSuperuser, enabled, revision }: Row): StoredUser {
  return {
    id: String(id),
    resource_uri: resourceUri('users', id),
    cluster: resourceUri('clusters', clusterId),
    user: name,
    is_superuser: isSuperuser,
    enabled,
    revision,
  }
}
