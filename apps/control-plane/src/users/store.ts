import { resourceUri, throughCluster, userRules } from '@roost/api-types/rest'
import type { User } from '@roost/api-types/rest'
import type { ListQuery } from '@roost/api-types/rpc'
import { Prisma } from '@roost/database'
import type { Transaction } from '../database/transaction.js'
import { queryRows } from '../database/database.js'
import type { Database } from '../database/database.js'
import { found } from '../services/errors.js'
import { lockInserts } from '../database/insert-order.js'
import { byCluster, conditions, isWithin, ordering } from '../database/listing.js'
import type { FilterTable, OrderTable } from '../database/listing.js'
import type { ReadStore } from '../services/reads.js'

/** `revision` rises with each change, also with one that the record does not show. */
export type StoredUser = User & { readonly revision: number }

export type NewUser = Omit<Prisma.UserUncheckedCreateInput, 'id' | 'createdAt' | 'revision'>
export type UserUpdate = Partial<Pick<NewUser, 'password' | 'isSuperuser' | 'enabled'>>

/** Of a user to be; see the columns. */
export type UserKeys = Pick<NewUser, 'clusterId' | 'nameKey' | 'lineKey'>

/** What a cluster says to a user to be. */
export interface Admission {
  /** How many it has. */
  readonly users: number
  /** The user that has one of the keys already. */
  readonly clash: string | null
  /** Whether it is the key of the name. */
  readonly clashIsOfName: boolean
}

export interface UserStore extends ReadStore<StoredUser> {
  /** Keeps others from changing the row until the transaction ends. */
  findForUpdate(tx: Transaction, id: number): Promise<StoredUser | undefined>
  /** Keeps others from inserting users until the transaction ends. Undefined when there is no such cluster. */
  admit(tx: Transaction, keys: UserKeys): Promise<Admission | undefined>
  insert(tx: Transaction, user: NewUser): Promise<StoredUser>
  update(tx: Transaction, id: number, update: UserUpdate): Promise<StoredUser>
  delete(tx: Transaction, id: number): Promise<void>
}

// Never the password: what is not read cannot leak.
const select = { id: true, clusterId: true, name: true, isSuperuser: true, enabled: true, revision: true } as const
const columns = Prisma.sql`id, cluster_id as "clusterId", name, is_superuser as "isSuperuser", enabled, revision`
type Row = Prisma.UserGetPayload<{ select: typeof select }>

const filters: FilterTable<typeof userRules, Prisma.UserWhereInput> = {
  id: (ids) => ({ id: { in: ids } }),
  ...byCluster,
  user: (names) => ({ name: { in: names } }),
}

/** The filters under which the total is known without counting. */
const counted = { ...userRules, filters: throughCluster } as const
const countFilters: FilterTable<typeof counted, Prisma.UserCountWhereInput> = byCluster

const orders: OrderTable<typeof userRules, Prisma.UserOrderByWithRelationInput> = {
  id: (id) => ({ id }),
  cluster: (clusterId) => ({ clusterId }),
  user: (name) => ({ name }),
  is_superuser: (isSuperuser) => ({ isSuperuser }),
  enabled: (enabled) => ({ enabled }),
}

export function createUserStore(database: Database): UserStore {
  const { prisma } = database
  return {
    async list(query) {
      const where = { AND: conditions(userRules, filters, query.filters) }
      const orderBy = ordering(userRules, orders, query.order)
      const [rows, total] = await Promise.all([
        prisma.user.findMany({ select, where, orderBy, skip: query.offset, take: query.limit }),
        isWithin(counted, query.filters) ? countedTotal(prisma, query.filters) : prisma.user.count({ where }),
      ])
      return { objects: rows.map(recordOf), total }
    },
    async find(id) {
      const [row] = await queryRows<Row>(database, `select ${columns.sql} from users where id = $1`, [id])
      return row === undefined ? undefined : recordOf(row)
    },
    async findMany(ids) {
      return (await prisma.user.findMany({ select, where: { id: { in: [...ids] } } })).map(recordOf)
    },
    async findForUpdate(tx, id) {
      const [row] = await tx.$queryRaw<Row[]>`
        select ${columns} from users where id = ${id} for update`
      return row === undefined ? undefined : recordOf(row)
    },
    async admit(tx, keys) {
      // A statement of its own: the next one must see what was committed while this one waited.
      await lockInserts(tx, 'users')
      return admissionOf(tx, keys)
    },
    insert,
    update,
    async delete(tx, id) {
      await tx.user.delete({ where: { id } })
    },
  }
}

async function insert(tx: Transaction, user: NewUser): Promise<StoredUser> {
  const [row] = await tx.$queryRaw<Row[]>`
    insert into users (cluster_id, name, name_key, line_key, password, is_superuser, enabled)
    values (${user.clusterId}, ${user.name}, ${user.nameKey}, ${user.lineKey}, ${user.password}, ${user.isSuperuser},
            ${user.enabled})
    returning ${columns}`
  return recordOf(found(row))
}

async function update(tx: Transaction, id: number, change: UserUpdate): Promise<StoredUser> {
  const { password, isSuperuser, enabled } = change
  const [row] = await tx.$queryRaw<Row[]>`
    update users set revision = revision + 1, password = coalesce(${password ?? null}::bytea, password),
           is_superuser = coalesce(${isSuperuser ?? null}::boolean, is_superuser),
           enabled = coalesce(${enabled ?? null}::boolean, enabled)
     where id = ${id} returning ${columns}`
  return recordOf(found(row))
}

async function admissionOf(tx: Transaction, { clusterId, nameKey, lineKey }: UserKeys): Promise<Admission | undefined> {
  const [admission] = await tx.$queryRaw<Admission[]>`
    select coalesce(n.users, 0) as users, u.name as clash, coalesce(u.name_key = ${nameKey}, false) as "clashIsOfName"
      from clusters c
      left join user_counts n on n.cluster_id = c.id
      left join lateral (
        select name, name_key from users where cluster_id = c.id and (name_key = ${nameKey} or line_key = ${lineKey}) limit 1
      ) u on true
     where c.id = ${clusterId} for key share of c`
  return admission
}

async function countedTotal(prisma: Database['prisma'], filters: ListQuery['filters']): Promise<number> {
  const where = { AND: conditions(counted, countFilters, filters) }
  const { _sum: sum } = await prisma.userCount.aggregate({ _sum: { users: true }, where })
  return sum.users ?? 0
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
