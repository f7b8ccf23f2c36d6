/**
 * How the value of a filter is read. `since`, `until`: an instant in ISO 8601, in UTC where it names no zone; rows from it
 * on, or before it. `above`: a whole number; rows with a greater one. `relation`: an id, or a resource URI of that resource.
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
  | { readonly relation: string }

type ValueOfKind<K extends FilterKind> = K extends 'boolean'
  ? boolean
  : K extends 'text' | 'uuid' | 'since' | 'until'
    ? string
    : number

/** What lists of a resource can do, and which of its fields move by themselves. REST, tRPC and the store all go by this. */
export interface ResourceRules {
  /** By the name in the query string; a field beyond a relation is `<relation>__<field>`. */
  readonly filters: Readonly<Record<string, FilterKind>>
  readonly ordering: readonly string[]
  /** Fields that change without anybody's change: no part of the ETag, and ignored in bodies. */
  readonly observed: readonly string[]
}

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
