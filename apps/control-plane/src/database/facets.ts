import type { FilterOf, ResourceRules } from '@roost/api-types/rest'
import type { Declaration, Filter } from '@roost/api-types/rpc'
import { queryRows } from './database.js'
import type { Database } from './database.js'
import { checkedFilter } from './listing.js'
import { escapeLike, negationsOf } from './table-fields.js'

/** An SQL expression that is compared with the values of a filter, or a condition of an array with them, such as `$3`: patterns of LIKE for a filter `part`. */
type Compared = string | ((values: string) => string)

/** The values of a resource that are counted, in SQL. */
export interface FacetTable<R extends ResourceRules, F extends FilterOf<R> = FilterOf<R>> {
  /** Tables, of which `one` has the rows that are counted. */
  readonly from: string
  readonly compared: { readonly [F in FilterOf<R>]: Compared }
  /** Filters to the text of their value, and to an array of texts where a record may have several. */
  readonly facets: Readonly<Record<F, string>>
  readonly lists?: readonly NoInfer<F>[]
}

/** By field: value to the number of records. */
type CountedFacets<F extends string> = { readonly total: number } & Readonly<Record<F, Record<string, number>>>

interface CountedRow {
  readonly facet: string
  readonly value: string
  readonly count: number
}

/** Counts the records of each value of each facet, under all filters but those of the facet, in one statement. */
export function facetCounter<const D extends Declaration, const F extends FilterOf<D['rules']>>(
  database: Pick<Database, 'pool' | 'disk'>,
  declaration: D,
  table: FacetTable<D['rules'], F>,
): (filters: readonly Filter[]) => Promise<CountedFacets<F>> {
  const names = Object.keys(table.facets)
  return async (filters) => {
    const { sql, values } = statementOf(declaration, table, filters)
    const rows = await queryRows<CountedRow>(database, sql, values)
    const facets = Object.fromEntries(names.map((name) => [name, countsOf(rows, name)]))
    return { total: countsOf(rows, '')[''] ?? 0, ...facets } as CountedFacets<F>
  }
}

function countsOf(rows: readonly CountedRow[], name: string): Record<string, number> {
  return Object.fromEntries(rows.filter(({ facet }) => facet === name).map(({ value, count }) => [value, count]))
}

interface Condition {
  readonly field: string
  readonly sql: string
}

function statementOf(declaration: Declaration, table: FacetTable<ResourceRules>, filters: readonly Filter[]) {
  const names = Object.keys(table.facets)
  const values: unknown[] = []
  const conditions = filters.map((filter) => conditionOf(declaration, table.compared, filter, values))
  const isFacet = ({ field }: Condition) => names.includes(field)
  const passed = (name: string) => and(conditions.filter((one) => one.field === name))
  const columns = names.flatMap((name, at) => [`${table.facets[name]} as value${at}`, `${passed(name)} as passed${at}`])
  const others = (own: number) => names.flatMap((_, at) => (at === own ? [] : [`passed${at}`])).join(' and ') || 'true'
  const counted = names.map((name, at) => {
    const isList = table.lists?.includes(name) === true
    return isList
      ? `select '${name}', each, ${others(at)} from unnest(value${at}) as each`
      : `select '${name}', value${at}, ${others(at)}`
  })
  const sql = `
    with matching as (select ${columns.join(', ')} from ${table.from} where ${and(conditions.filter((one) => !isFacet(one)))})
    select facet, value, count(*)::int as count
      from matching cross join lateral (
        select '', '', ${others(-1)} union all ${counted.join(' union all ')}
      ) as counted (facet, value, passed)
     where passed and value is not null group by facet, value order by facet, value`
  return { sql, values }
}

function and(conditions: readonly Condition[]): string {
  return conditions.map(({ sql }) => sql).join(' and ') || 'true'
}

/** Returns the condition of a filter, and adds its values to those of the statement. A negation is true where the value is null. */
function conditionOf(
  declaration: Declaration,
  compared: FacetTable<ResourceRules>['compared'],
  filter: Filter,
  values: unknown[],
): Condition {
  const { field, isNegated = false } = filter
  const { kind, values: own } = checkedFilter(declaration.rules, filter, negationsOf(declaration, {}).known)
  const expression = compared[field] as Compared
  const parameter = `$${values.push(kind === 'part' ? own.map((text) => `%${escapeLike(String(text))}%`) : own)}`
  const operator = kind === 'above' ? '>' : '='
  const sql = typeof expression === 'string' ? `${expression} ${operator} any(${parameter})` : expression(parameter)
  return { field, sql: isNegated ? `(${sql}) is not true` : `coalesce(${sql}, false)` }
}
