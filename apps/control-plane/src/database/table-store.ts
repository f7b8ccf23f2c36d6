import type { Declaration, Filter, ListQuery } from '@roost/api-types/rpc'
import type { z } from 'zod'
import type { ReadStore } from '../services/reads.js'
import { countRows } from './count-rows.js'
import type { Database } from './database.js'
import { lockInserts } from './insert-order.js'
import { conditions, ordering } from './listing.js'
import { columnWriter, conditionOf, negationsOf, orderOf, recordReader } from './table-fields.js'
import type { Columns } from './table-fields.js'
import type { Conditions, KnownColumns, Model, NamedColumns, Orders, RowOf, Underived, Where } from './table-types.js'
import type { Transaction } from './transaction.js'

/** How the records of a resource are stored. Names of fields and columns agree but for case, unless `columns` has them. */
export type Table<D extends Declaration, M extends Model, A, C, K, O = unknown> = {
  readonly model: M
  readonly columns?: K & KnownColumns<D, M, K>
  /** The conditions of filters that no column has. Write the types of their parameters: TypeScript infers the names from them. */
  readonly conditions?: C & Conditions<D['rules'], M>
  /** Orders by what is not a column. */
  readonly orders?: O & Orders<D['rules'], M>
  /** Returns the condition of the rows that are records of this resource, where others share its table. */
  readonly only?: () => Where<M>
  /** `select`, `include` or `omit` of every query. What is not read cannot leak. */
  readonly shown?: A
  /** The total of a list, where it is known without counting. */
  readonly total?: (filters: readonly Filter[]) => Promise<number> | undefined
} & (object extends NamedColumns<D['rules'], M, C & O>
  ? object
  : { readonly columns: K & NamedColumns<D['rules'], M, C & O> }) &
  ([Underived<D, M, K>] extends [never]
    ? { readonly recordOf?: (row: RowOf<M, A>) => z.output<D['record']> }
    : { readonly recordOf: (row: RowOf<M, A>) => z.output<D['record']> })

/** A store with the writes of records whose fields are columns. */
export interface TableStore<R, I, P> extends ReadStore<R> {
  /** Keeps others from changing the row until the transaction ends. */
  findForUpdate(tx: Transaction, id: number): Promise<R | undefined>
  /** Whether another row than that of `id` has these values. Keeps others from inserting until the transaction ends. */
  isInUse(tx: Transaction, fields: Partial<I>, id?: number): Promise<boolean>
  insert(tx: Transaction, input: I): Promise<R>
  update(tx: Transaction, id: number, change: P): Promise<R>
  delete(tx: Transaction, id: number): Promise<void>
}

/** Prisma's client of one model, as far as it is used here: its own types depend on each query. */
interface Delegate {
  findMany(args: object): Promise<readonly object[]>
  findUnique(args: object): Promise<object | null>
  count(args: object): Promise<number>
  create(args: object): Promise<object>
  update(args: object): Promise<object>
  delete(args: object): Promise<unknown>
}

interface Untyped {
  readonly model: Model
  readonly columns?: Columns
  readonly conditions?: object
  readonly orders?: object
  readonly only?: () => object
  readonly shown?: object
  readonly total?: (filters: readonly Filter[]) => Promise<number> | undefined
  readonly recordOf?: (row: never) => unknown
}

type Output<S> = S extends z.ZodType ? z.output<S> : never
type StoreOf<D extends Declaration> = TableStore<z.output<D['record']>, Output<D['create']>, Output<D['change']>>

/** The store of a resource: a page and its count at once, and the writes. */
export function tableStore<
  const D extends Declaration,
  M extends Model,
  const A extends object = object,
  const C = unknown,
  const K = unknown,
  const O = unknown,
>(database: Database, declaration: D, table: Table<D, M, A, C, K, O>): StoreOf<D> {
  const untyped = table as unknown as Untyped
  const delegate = (from: Pick<Database, 'prisma'>['prisma'] | Transaction) =>
    (from as unknown as Readonly<Record<string, Delegate>>)[modelField(untyped.model)] as Delegate
  const { name, record } = declaration
  const { columns = {}, shown = {}, only = () => ({}) } = untyped
  const recordOf = (untyped.recordOf ?? recordReader(name, record, columns)) as (row: object) => object
  const orUndefined = (row: object | null) => (row === null ? undefined : recordOf(row))
  const rows = delegate(database.prisma)
  const find = async (from: Delegate, id: number) =>
    orUndefined(await from.findUnique({ where: { ...only(), id }, ...shown }))
  const store: TableStore<object, object, object> = {
    list: lister(database, declaration, untyped, { rows, recordOf }),
    find: (id) => find(rows, id),
    findMany: async (ids) =>
      (await rows.findMany({ where: { ...only(), id: { in: [...ids] } }, ...shown })).map(recordOf),
    async findForUpdate(tx, id) {
      await tx.$queryRawUnsafe(`select id from ${name} where id = $1 for update`, id)
      return find(delegate(tx), id)
    },
    ...writes(declaration, columns, { delegate, shown, recordOf }),
  }
  return store as unknown as StoreOf<D>
}

interface Read {
  readonly rows: Delegate
  readonly recordOf: (row: object) => object
}

function lister(database: Database, declaration: Declaration, table: Untyped, { rows, recordOf }: Read) {
  const { name, rules } = declaration
  const { columns = {}, shown = {}, only, total: known = () => undefined } = table
  const filters = Object.entries(rules.filters).map(([field, kind]) => [field, conditionOf(field, kind, columns)])
  const orders = rules.ordering.map((field) => [field, orderOf(rules, field, columns)])
  const filterTable = { ...Object.fromEntries(filters), ...table.conditions } as Parameters<typeof conditions>[1]
  const orderTable = {
    id: orderOf(rules, 'id', columns),
    ...Object.fromEntries(orders),
    ...table.orders,
  } as Parameters<typeof ordering>[1]
  const negations = negationsOf(declaration, columns)
  return async (query: ListQuery) => {
    const where = {
      AND: [...(only === undefined ? [] : [only()]), ...conditions(rules, filterTable, query.filters, negations)],
    }
    const orderBy = ordering(rules, orderTable, query.order)
    const [page, total] = await Promise.all([
      rows.findMany({ where, orderBy, skip: query.offset, take: query.limit, ...shown }),
      known(query.filters) ?? countRows(database, name, where.AND, () => rows.count({ where })),
    ])
    return { objects: page.map(recordOf), total }
  }
}

interface Written {
  readonly delegate: (from: Transaction) => Delegate
  readonly shown: object
  readonly recordOf: (row: object) => object
}

function writes({ name, create, change }: Declaration, columns: Columns, { delegate, shown, recordOf }: Written) {
  const toInsert = create === undefined ? undefined : columnWriter(create, columns)
  const toUpdate = change === undefined ? undefined : columnWriter(change, columns)
  return {
    async isInUse(tx: Transaction, fields: object, id = 0) {
      await lockInserts(tx, name)
      return (await delegate(tx).count({ where: { ...toInsert?.(fields), id: { not: id } } })) > 0
    },
    async insert(tx: Transaction, input: object) {
      await lockInserts(tx, name)
      return recordOf(await delegate(tx).create({ data: toInsert?.(input), ...shown }))
    },
    async update(tx: Transaction, id: number, fields: object) {
      return recordOf(await delegate(tx).update({ where: { id }, data: toUpdate?.(fields), ...shown }))
    },
    async delete(tx: Transaction, id: number) {
      await delegate(tx).delete({ where: { id } })
    },
  }
}

/** The field of Prisma's client: `NodeRole` is `nodeRole`. */
function modelField(model: Model): string {
  return `${model.charAt(0).toLowerCase()}${model.slice(1)}`
}
