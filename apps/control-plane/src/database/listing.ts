import { maxId, maxSearchLength } from '@roost/api-types/rest'
import type { FilterKind, FilterOf, FilterValue, OrderOf, ResourceRules } from '@roost/api-types/rest'
import type { Filter, Order } from '@roost/api-types/rpc'
import {
  filterKind,
  mismatchedValue,
  notASearch,
  notAValue,
  notFilterable,
  requireOrdering,
} from '../services/list-rules.js'

/** One condition for each filter that the rules declare; a store that forgets one does not compile. */
export type FilterTable<R extends ResourceRules, Where> = {
  readonly [F in FilterOf<R>]: (values: FilterValue<R, F>[]) => Where
}
export type OrderTable<R extends ResourceRules, OrderBy> = {
  readonly [F in OrderOf<R>]: (direction: 'asc' | 'desc') => OrderBy
}

/** The conditions of `byId`. */
export const byId = {
  id: (ids: number[]) => ({ id: { in: ids } }),
  id__gt: (ids: number[]) => ({ OR: ids.map((gt) => ({ id: { gt } })) }),
}

/** The conditions of `throughCluster`, for rows with the column and the relation. */
export const byCluster = {
  cluster: (ids: number[]) => ({ clusterId: { in: ids } }),
  cluster__id: (ids: number[]) => ({ clusterId: { in: ids } }),
  cluster__name: (names: string[]) => ({ cluster: { name: { in: names } } }),
  cluster__uuid: (uuids: string[]) => ({ cluster: { uuid: { in: uuids } } }),
}

/** The same of `throughNode`. */
export const byNode = {
  node: (ids: number[]) => ({ nodeId: { in: ids } }),
  node__id: (ids: number[]) => ({ nodeId: { in: ids } }),
  node__hostname: (names: string[]) => ({ node: { hostname: { in: names } } }),
}

const isOfKind: Readonly<Record<Extract<FilterKind, string>, (value: unknown) => boolean>> = {
  integer: (value) => Number.isInteger(value),
  number: (value) => Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
  // PostgreSQL keeps no NUL in a text
  text: (value) => typeof value === 'string' && !value.includes('\0'),
  since: isInstant,
  until: isInstant,
  above: (value) => Number.isInteger(value),
  part: isPart,
  uuid: (value) => typeof value === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value),
}

function isPart(value: unknown): boolean {
  const length = typeof value === 'string' && !value.includes('\0') ? value.trim().length : 0
  return length >= 1 && length <= maxSearchLength
}

function isInstant(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-.*Z$/.test(value) && !Number.isNaN(Date.parse(value))
}

/** What a negation has to know about the fields of a record. */
export interface Negations<Where> {
  /** For filters whose column may be null: the condition of rows in which it is. Such a row has none of the values. */
  readonly unset: Readonly<Record<string, Where>>
  /** All values of fields that have few. */
  readonly known: Readonly<Record<string, readonly string[]>>
}

/** The conditions of a list, all of which must hold. Throws `invalid` for what the rules do not declare. */
export function conditions<R extends ResourceRules, Where extends object>(
  rules: R,
  table: FilterTable<R, Where>,
  filters: readonly Filter[],
  negations: Negations<Where> = { unset: {}, known: {} },
): Where[] {
  return filters.map(({ field, values, isNegated = false }) => {
    const filter = checkedFilter(rules, { field, values, isNegated }, negations.known)
    const condition = table[field as FilterOf<R>] as (values: readonly unknown[]) => Where
    const where = condition(filter.values)
    return isNegated ? negated(where, negations.unset[field]) : where
  })
}

/** Returns the rows that the condition of a filter leaves out, all of them. */
function negated<Where extends object>(where: Where, unset: Where | undefined): Where {
  return { OR: [{ NOT: where }, ...(unset === undefined ? [] : [unset])] } as object as Where
}

/** Returns a filter as its store reads it. Throws `invalid` for what the rules do not declare. */
export function checkedFilter(
  rules: ResourceRules,
  { field, values, isNegated = false }: Filter,
  known: Negations<object>['known'],
): { readonly kind: FilterKind; readonly values: readonly unknown[] } {
  const kind = filterKind(rules, field)
  if (kind === undefined) throw notFilterable(field)
  const all = known[field] ?? []
  const unknown = isNegated && all.length > 0 ? values.find((value) => !all.includes(String(value))) : undefined
  if (unknown !== undefined) throw notAValue(field, String(unknown), all)
  return { kind, values: checked(field, kind, values) }
}

/** The values of one filter; integers that no column can hold are left out, for nothing equals them. */
function checked(field: string, kind: FilterKind, values: Filter['values']): readonly unknown[] {
  const base = typeof kind === 'object' ? 'integer' : kind
  if (!values.every(isOfKind[base])) throw base === 'part' ? notASearch(field, values) : mismatchedValue()
  if (base === 'part') return values.map((value) => String(value).trim())
  if (base === 'above') return values.map((value) => Math.min(Math.max(Number(value), -1), maxId))
  return base === 'integer' ? values.filter((value) => Math.abs(Number(value)) <= maxId) : values
}

/** The order of a list, made total by the id. Throws `invalid` for a field that the rules do not declare. */
export function ordering<R extends ResourceRules, OrderBy>(
  rules: R,
  table: OrderTable<R, OrderBy> & { readonly id: (direction: 'asc' | 'desc') => OrderBy },
  order: readonly Order[],
): OrderBy[] {
  const wanted = order.map(({ field, descending }) => {
    requireOrdering(rules, field)
    return table[field as OrderOf<R>](descending ? 'desc' : 'asc')
  })
  return order.some(({ field }) => field === 'id') ? wanted : [...wanted, table.id('asc')]
}

/** Whether the rules declare every filter that is asked for. */
export function isWithin({ filters }: ResourceRules, asked: readonly Filter[]): boolean {
  return asked.every(({ field }) => Object.hasOwn(filters, field))
}
