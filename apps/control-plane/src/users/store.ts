import { loginOfLine } from '@roost/api-types/agent'
import { resourceUri, throughCluster, userRules } from '@roost/api-types/rest'
import type { User } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { ListQuery } from '@roost/api-types/rpc'
import { Prisma } from '@roost/database'
import type { Transaction } from '../database/transaction.js'
import { queryRows } from '../database/database.js'
import type { Database } from '../database/database.js'
import { found } from '../services/errors.js'
import { lockInserts } from '../database/insert-order.js'
import { byCluster, conditions, isWithin } from '../database/listing.js'
import type { FilterTable } from '../database/listing.js'
import { tableStore } from '../database/table-store.js'

/** `revision` rises with each change, also with one that the record does not show. */
export type StoredUser = User & { readonly revision: number }

export type NewUser = Omit<Prisma.UserUncheckedCreateInput, 'id' | 'createdAt' | 'revision' | 'adoptedGroups'> & {
  readonly adoptedGroups?: readonly string[]
}
export type UserUpdate = Partial<Pick<NewUser, 'password' | 'isSuperuser' | 'enabled' | 'setName'>>

/** The keys of a new user; see the columns. */
export type UserKeys = Pick<NewUser, 'clusterId' | 'nameKey' | 'lineKey'>

/** Whether a cluster can have a new user. */
export interface Admission {
  /** How many it has. */
  readonly users: number
  /** The user that has one of the keys already. */
  readonly clash: string | null
  /** Whether it is the key of the name. */
  readonly clashIsOfName: boolean
}

export type UserStore = ReturnType<typeof createUserStore>

// Never the password: what is not read cannot leak.
const select = {
  id: true,
  clusterId: true,
  name: true,
  isSuperuser: true,
  enabled: true,
  revision: true,
  projectId: true,
  login: true,
  setName: true,
  adoptedLine: true,
  adoptedAccount: true,
} as const
const columns = Prisma.sql`id, cluster_id as "clusterId", name, is_superuser as "isSuperuser", enabled, revision,
       project_id as "projectId", login, set_name as "setName", adopted_line as "adoptedLine",
       adopted_account as "adoptedAccount"`
type Row = Prisma.UserGetPayload<{ select: typeof select }>

/** The filters under which the total is known without counting. */
const counted = { ...userRules, filters: throughCluster } as const
const countFilters: FilterTable<typeof counted, Prisma.UserCountWhereInput> = byCluster

export function createUserStore(database: Database) {
  const table = tableStore(database, resources.users, {
    model: 'User',
    shown: { select },
    columns: { user: 'name', set: 'setName' },
    total: (filters) => (isWithin(counted, filters) ? countedTotal(database.prisma, filters) : undefined),
    recordOf,
  })
  return {
    ...table,
    async find(id: number) {
      const [row] = await queryRows<Row>(database, `select ${columns.sql} from users where id = $1`, [id])
      return row === undefined ? undefined : recordOf(row)
    },
    /** Keeps others from changing the row until the transaction ends. */
    async findForUpdate(tx: Transaction, id: number) {
      const [row] = await tx.$queryRaw<Row[]>`
        select ${columns} from users where id = ${id} for update`
      return row === undefined ? undefined : recordOf(row)
    },
    /** True for a user of a cluster without an identity service. */
    async isInTempauth(tx: Transaction, id: number): Promise<boolean> {
      return (await tx.identityService.count({ where: { cluster: { users: { some: { id } } } } })) === 0
    },
    /** Keeps others from inserting users until the transaction ends. Undefined when there is no such cluster. */
    async admit(tx: Transaction, keys: UserKeys): Promise<Admission | undefined> {
      // A statement of its own: the next one must see what was committed while this one waited.
      await lockInserts(tx, 'users')
      return admissionOf(tx, keys)
    },
    insert,
    update,
    /** Remembers an adopted user: what others made of it is still in the cluster. */
    async delete(tx: Transaction, id: number) {
      await tx.$executeRaw`
        insert into removed_adoptions (cluster_id, source, login, project_id)
        select cluster_id, coalesce(adopted_identity_user, adopted_line), coalesce(login, name),
               case when adopted_identity_user is null then null else project_id end
          from users where id = ${id} and coalesce(adopted_identity_user, adopted_line) is not null
        on conflict (cluster_id, source) do nothing`
      await tx.user.delete({ where: { id } })
    },
    /** Forgets that a user was removed, who is adopted again. */
    async forgetRemoved(tx: Transaction, clusterId: number, source: string) {
      await tx.removedAdoption.deleteMany({ where: { clusterId, source } })
    },
  }
}

async function insert(tx: Transaction, user: NewUser): Promise<StoredUser> {
  const [row] = await tx.$queryRaw<Row[]>`
    insert into users (cluster_id, name, name_key, line_key, password, is_superuser, enabled, set_name, project_id, login,
                       identity_password_revision, adopted_line, adopted_groups, adopted_account, adopted_identity_user)
    values (${user.clusterId}, ${user.name}, ${user.nameKey}, ${user.lineKey}, ${user.password ?? null}::bytea,
            ${user.isSuperuser}, ${user.enabled}, ${user.setName ?? null}, ${user.projectId ?? null}, ${user.login ?? null},
            ${user.identityPasswordRevision ?? null}::int, ${user.adoptedLine ?? null},
            ${(user.adoptedGroups ?? []) as string[]}::text[], ${user.adoptedAccount ?? null}, ${user.adoptedIdentityUser ?? null})
    returning ${columns}`
  return recordOf(found(row))
}

async function update(tx: Transaction, id: number, change: UserUpdate): Promise<StoredUser> {
  const { password, isSuperuser, enabled, setName } = change
  // Null is a value of its own: it takes the user out of its set.
  const set = setName === undefined ? Prisma.empty : Prisma.sql`, set_name = ${setName}`
  const [row] = await tx.$queryRaw<Row[]>`
    update users set revision = revision + 1, password = coalesce(${password ?? null}::bytea, password),
           password_revision = password_revision + ${password === undefined ? 0 : 1}::int,
           is_superuser = coalesce(${isSuperuser ?? null}::boolean, is_superuser),
           enabled = coalesce(${enabled ?? null}::boolean, enabled) ${set}
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

function recordOf(row: Row): StoredUser {
  const { id, clusterId, name, isSuperuser, enabled, revision, setName } = row
  return {
    id: String(id),
    resource_uri: resourceUri('users', id),
    cluster: resourceUri('clusters', clusterId),
    user: name,
    is_superuser: isSuperuser,
    enabled,
    ...identityOf(row),
    ...(setName === null ? {} : { set: setName }),
    revision,
  }
}

/** Returns account and login where they do not follow from the name. */
function identityOf({ projectId, login, adoptedLine, adoptedAccount }: Row): Pick<User, 'account' | 'login'> {
  if (projectId !== null) return { account: `AUTH_${projectId}`, ...(login === null ? {} : { login }) }
  if (adoptedLine === null) return {}
  return { account: adoptedAccount ?? '', login: loginOfLine(adoptedLine) }
}
