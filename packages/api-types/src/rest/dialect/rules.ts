/**
 * How the value of a filter is read. `since`, `until`: an instant in ISO 8601, in UTC where it names no zone; rows from it
 * on, or before it. `above`: a whole number; rows with a greater one. `part`: 1 to 100 characters; rows that have them in one
 * of their texts, whatever their case. `relation`: an id, or a resource URI of that resource.
 */
export type FilterKind =
  | 'integer'
  | 'number'
  | 'boolean'
  | 'text'
  | 'uuid'
  | 'since'
  | 'until'
  | 'above'
  | 'part'
  | { readonly relation: string }

type ValueOfKind<K extends FilterKind> = K extends 'boolean'
  ? boolean
  : K extends 'text' | 'uuid' | 'since' | 'until' | 'part'
    ? string
    : number

/** The longest text of a filter `part`, and of a search. */
export const maxSearchLength = 100

/** What lists of a resource can do, and which of its fields move by themselves. REST, tRPC and the store all go by this. */
export interface ResourceRules {
  /** By the name in the query string; a field beyond a relation is `<relation>__<field>`. */
  readonly filters: Readonly<Record<string, FilterKind>>
  readonly ordering: readonly string[]
  /** Fields that change without anybody's change: no part of the ETag, and ignored in bodies. */
  readonly observed: readonly string[]
}

/** Filters that do not compare with single values, so that they have no negation. */
type Inexact = 'since' | 'until' | 'above' | 'part'
const inexact: readonly unknown[] = ['since', 'until', 'above', 'part'] satisfies Inexact[]

const negation = '__not'

/** Returns the filter that a name such as `state__not` negates; undefined for all other names. */
export function negatedFilter(filters: ResourceRules['filters'], name: string): string | undefined {
  const field = name.endsWith(negation) ? name.slice(0, -negation.length) : name
  return field !== name && Object.hasOwn(filters, field) && isExact(filters[field]) ? field : undefined
}

/** Returns true for a filter that compares with values, and so has a negation. */
export function isExact(kind: FilterKind | undefined): boolean {
  return !inexact.includes(kind)
}

/** The names under which filters are negated. */
export type NegationOf<R extends ResourceRules> = {
  readonly [F in FilterOf<R>]: R['filters'][F] extends Inexact ? never : `${F}__not`
}[FilterOf<R>]

export type FilterOf<R extends ResourceRules> = Extract<keyof R['filters'], string>
export type FilterValue<R extends ResourceRules, F extends FilterOf<R>> = ValueOfKind<R['filters'][F]>
export type OrderOf<R extends ResourceRules> = R['ordering'][number]

/** The filters of every list. A walk by `id__gt` misses no row, also when others are removed meanwhile. */
export const byId = { id: 'integer', id__gt: 'above' } as const satisfies ResourceRules['filters']

/** The filters of whatever belongs to a cluster. */
export const throughCluster = {
  cluster: { relation: 'clusters' },
  cluster__id: 'integer',
  cluster__name: 'text',
  cluster__uuid: 'uuid',
} as const satisfies ResourceRules['filters']

/** The filters of whatever belongs to a node. */
export const throughNode = {
  node: { relation: 'nodes' },
  node__id: 'integer',
  node__hostname: 'text',
} as const satisfies ResourceRules['filters']

/** The filters of a field that is an instant: `<field>__gte` from a time on, `<field>__lt` before one. */
export function timeRange<F extends string>(field: F) {
  return { [`${field}__gte`]: 'since', [`${field}__lt`]: 'until' } as {
    readonly [K in `${F}__gte`]: 'since'
  } & { readonly [K in `${F}__lt`]: 'until' }
}
