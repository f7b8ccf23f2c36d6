import { idOfUri, maxId, RoostError } from '@roost/api-types/rest'
import type { FilterKind, ResourceRules } from '@roost/api-types/rest'
import type { Filter, ListQuery, Order } from '@roost/api-types/rpc'
import { localPath } from './relations.js'

const defaultLimit = 20
const maxLimit = 1000

/** What a list needs to know of its resource to read a query string. */
export interface Listed {
  readonly rules: ResourceRules
  /** The names of the record's fields. */
  readonly fields: readonly string[]
}

type Parameters = readonly (readonly [name: string, value: string])[]

/** Reads the query string of a list. `own` are the origins under which this server is known. */
export function parseListQuery(query: URLSearchParams, listed: Listed, own: readonly string[]): ListQuery {
  const parameters = [...query]
  return {
    filters: filtersOf(parameters, listed, own),
    order: ordersOf(parameters, listed),
    ...parsePaging(query),
  }
}

/** `limit` and `offset`, the last of each. */
export function parsePaging(query: URLSearchParams): { readonly limit: number; readonly offset: number } {
  const limit = query.getAll('limit').at(-1)
  const offset = query.getAll('offset').at(-1)
  const wanted = limit === undefined ? defaultLimit : wholeNumber('limit', limit, 'Please provide a positive integer.')
  return {
    limit: wanted === 0 ? maxLimit : Math.min(wanted, maxLimit),
    offset: offset === undefined ? 0 : wholeNumber('offset', offset, 'Please provide an integer.'),
  }
}

function wholeNumber(name: string, text: string, hint: string): number {
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
      if (!rules.ordering.includes(field))
        throw new RoostError('invalid', `No matching '${field}' field for ordering on.`)
      return { field, descending }
    })
}

/** The last of a repeated plain key wins; repeated `__in` add up. */
function filtersOf(parameters: Parameters, listed: Listed, own: readonly string[]): Filter[] {
  const filters = new Map<string, Filter>()
  for (const [name, value] of parameters) {
    const target = targetOf(name, listed)
    if (target === undefined) continue
    const { field, op, kind } = target
    const texts = op === 'in' ? value.split(',').filter((text) => text !== '') : [value]
    const values = texts.map((text) => valueOf(kind, text, own))
    const before = op === 'in' ? (filters.get(name)?.values ?? []) : []
    filters.set(name, { field, op, values: [...before, ...values] })
  }
  return [...filters.values()]
}

/** Which filter a parameter means; undefined when its name is no field of the record. */
function targetOf(name: string, { rules, fields }: Listed) {
  const lookup = /^(.+)__(exact|in)$/.exec(name)
  const field = lookup?.[1] ?? name
  const op = lookup?.[2] === 'in' ? ('in' as const) : ('exact' as const)
  const kind = Object.hasOwn(rules.filters, field) ? rules.filters[field] : undefined
  if (kind !== undefined) return { field, op, kind }
  const base = name.split('__', 1)[0] ?? name
  if (!fields.includes(base) && !Object.hasOwn(rules.filters, base)) return undefined
  throw new RoostError('invalid', `The '${field}' field does not allow filtering.`)
}

const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  True: true,
  '1': true,
  false: false,
  False: false,
  '0': false,
}

function valueOf(kind: FilterKind, text: string, own: readonly string[]): string | number | boolean {
  const value = typeof kind === 'object' ? relatedId(kind.relation, text, own) : readers[kind](text)
  if (value === undefined) throw new RoostError('invalid', 'Invalid resource lookup data provided (mismatched type).')
  return value
}

const readers: Readonly<Record<Exclude<FilterKind, object>, (text: string) => string | number | boolean | undefined>> =
  {
    integer: (text) => (/^\s*[+-]?\d{1,15}\s*$/.test(text) ? Number(text) : undefined),
    number: (text) => (/^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?\s*$/i.test(text) ? Number(text) : undefined),
    boolean: (text) => (Object.hasOwn(booleans, text) ? booleans[text] : undefined),
    text: (text) => text,
    uuid: (text) => text,
    time: isoTime,
  }

/** In UTC; undefined where the text is no time. A time without a zone is one of UTC. */
function isoTime(text: string): string | undefined {
  const [, day, time = '00:00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? []
  const ms = Date.parse(`${day}T${time}${zone}`)
  return day === undefined || Number.isNaN(ms) || ms < 0 ? undefined : new Date(ms).toISOString()
}

function relatedId(resource: string, text: string, own: readonly string[]): number | undefined {
  return readers.integer(text) === undefined ? idOfUri(resource, localPath(text, own)) : Number(text)
}
