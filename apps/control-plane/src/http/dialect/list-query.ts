import { idOfUri, isExact, maxId, RoostError } from '@roost/api-types/rest'
import type { FilterKind, ResourceRules } from '@roost/api-types/rest'
import type { Filter, ListQuery, Order } from '@roost/api-types/rpc'
import { filterKind, mismatchedValue, notFilterable, requireOrdering } from '../../services/list-rules.js'
import type { LocalPath } from './relations.js'

const defaultLimit = 20
const maxLimit = 1000

/** The part of a resource that reading a query string needs. */
export interface Listed {
  readonly rules: ResourceRules
  /** The names of the record's fields. */
  readonly fields: readonly string[]
}

type Parameters = readonly (readonly [name: string, value: string])[]

/** Reads the query string of a list. */
export function parseListQuery(query: URLSearchParams, listed: Listed, localPath: LocalPath): ListQuery {
  const parameters = [...query]
  return {
    filters: filtersOf(parameters, listed, localPath),
    order: ordersOf(parameters, listed),
    ...parsePaging(query),
  }
}

/** Reads `limit` and `offset`; of repeated ones the last. */
export function parsePaging(query: URLSearchParams): { readonly limit: number; readonly offset: number } {
  const limit = query.getAll('limit').at(-1)
  const offset = query.getAll('offset').at(-1)
  const size = limit === undefined ? defaultLimit : integerOf('limit', limit, 'Please provide a positive integer.')
  return {
    limit: size === 0 ? maxLimit : Math.min(size, maxLimit),
    offset: offset === undefined ? 0 : integerOf('offset', offset, 'Please provide an integer.'),
  }
}

function integerOf(name: string, text: string, hint: string): number {
  const invalid = (rest: string) => new RoostError('invalid', `Invalid ${name} '${text}' provided. ${rest}`)
  if (!/^\s*[+-]?\d+\s*$/.test(text)) throw invalid(hint)
  const value = Number(text)
  if (value < 0) throw invalid('Please provide a positive integer >= 0.')
  return Math.min(value, maxId)
}

function ordersOf(parameters: Parameters, { rules }: Listed): Order[] {
  return parameters
    .filter(([name, value]) => name === 'order_by' && value !== '')
    .map(([, value]) => {
      const descending = value.startsWith('-')
      const field = descending ? value.slice(1) : value
      requireOrdering(rules, field)
      return { field, descending }
    })
}

/** The last of a repeated plain key wins; repeated `__in` and `__not` add up. */
function filtersOf(parameters: Parameters, listed: Listed, localPath: LocalPath): Filter[] {
  const filters = new Map<string, Filter>()
  for (const [name, value] of parameters) {
    const target = targetOf(name, listed)
    if (target === undefined) continue
    const { field, isList, isNegated, kind } = target
    const texts = isList ? value.split(',').filter((text) => text !== '') : [value]
    const values = texts.map((text) => valueOf(kind, text, localPath))
    const before = isList ? (filters.get(name)?.values ?? []) : []
    filters.set(name, { field, values: [...before, ...values], isNegated })
  }
  return [...filters.values()]
}

/** Returns the filter that a parameter names; undefined when the record has no such field. */
function targetOf(name: string, { rules, fields }: Listed) {
  const [, field = name, lookup] = /^(.+)__(exact|in|not)$/.exec(name) ?? []
  const isNegated = lookup === 'not'
  const kind = filterKind(rules, field)
  if (kind !== undefined) {
    if (!hasLookup(kind, lookup)) throw notFilterable(name)
    return { field, isList: isNegated || lookup === 'in', isNegated, kind }
  }
  const base = name.split('__', 1)[0] ?? name
  if (!fields.includes(base) && filterKind(rules, base) === undefined) return undefined
  throw notFilterable(field)
}

/** The range of a time or an id also has `exact` and `in`, as it always had. */
function hasLookup(kind: FilterKind, lookup: string | undefined): boolean {
  return lookup === undefined || isExact(kind) || (kind !== 'part' && lookup !== 'not')
}

const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  True: true,
  '1': true,
  false: false,
  False: false,
  '0': false,
}

function valueOf(kind: FilterKind, text: string, localPath: LocalPath): string | number | boolean {
  const value = typeof kind === 'object' ? relatedId(kind.relation, text, localPath) : readers[kind](text)
  if (value === undefined) throw mismatchedValue()
  return value
}

const readers: Readonly<Record<Exclude<FilterKind, object>, (text: string) => string | number | boolean | undefined>> =
  {
    integer: integerOrNone,
    number: (text) => (/^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?\s*$/i.test(text) ? Number(text) : undefined),
    boolean: (text) => (Object.hasOwn(booleans, text) ? booleans[text] : undefined),
    text: (text) => text,
    part: (text) => text,
    uuid: (text) => text,
    since: isoTime,
    until: isoTime,
    above: integerOrNone,
  }

function integerOrNone(text: string): number | undefined {
  return /^\s*[+-]?\d{1,15}\s*$/.test(text) ? Number(text) : undefined
}

/** Returns the time in UTC; undefined where the text is not a time. A time without a zone is in UTC. */
function isoTime(text: string): string | undefined {
  const [, day, time = '00:00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? []
  const ms = Date.parse(`${day}T${time}${zone}`)
  return day === undefined || Number.isNaN(ms) || ms < 0 ? undefined : new Date(ms).toISOString()
}

function relatedId(resource: string, text: string, localPath: LocalPath): number | undefined {
  return integerOrNone(text) === undefined ? idOfUri(resource, localPath(text)) : Number(text)
}
