import { z } from 'zod'
import { idOfUri, maxId, negatedFilter } from '../rest/index.js'
import type { OneOrMany } from './verbs.js'
import type { FilterOf, FilterValue, NegationOf, OrderOf, ResourceRules } from '../rest/index.js'

/** As in REST, there is nothing beyond, and no column can contain more. */
export const Offset = z
  .int()
  .min(0)
  .transform((offset) => Math.min(offset, maxId))

const ListInput = z
  .object({
    filters: z.record(
      z.string(),
      z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number(), z.boolean()]))]),
    ),
    order_by: z.array(z.string()),
    limit: z.int().min(0).max(1000),
    offset: Offset,
  })
  .partial()
  .default({})

/** Returns the query of a service, in which a relation is an id. */
export function listQuery(input: ParsedListInput, { filters }: ResourceRules) {
  return {
    filters: Object.entries(input.filters ?? {}).map(([name, value]) => {
      const negated = negatedFilter(filters, name)
      const field = negated ?? name
      const kind = Object.hasOwn(filters, field) ? filters[field] : undefined
      const given = Array.isArray(value) ? value : [value]
      const values = typeof kind === 'object' ? given.map((one) => idOrValue(kind.relation, one)) : given
      return { field, values, isNegated: negated !== undefined }
    }),
    order: (input.order_by ?? []).map((field) =>
      field.startsWith('-') ? { field: field.slice(1), descending: true } : { field, descending: false },
    ),
    limit: input.limit === 0 ? 1000 : (input.limit ?? 20),
    offset: input.offset ?? 0,
  }
}

/** What is no URI of the resource stays: the service refuses it. */
function idOrValue<V>(resource: string, value: V): V | number {
  return (typeof value === 'string' ? idOfUri(resource, value) : undefined) ?? value
}

type ParsedListInput = z.output<typeof ListInput>

/** A relation is an id, or the resource URI of the record. */
type FilterValueInput<R extends ResourceRules, F extends FilterOf<R>> =
  | FilterValue<R, F>
  | (R['filters'][F] extends { readonly relation: string } ? string : never)

/** The filters of a list; `<filter>__not` excludes what has one of the values. */
type FiltersInput<R extends ResourceRules> = {
  readonly [F in FilterOf<R>]?: OneOrMany<FilterValueInput<R, F>> | undefined
} & {
  readonly [N in NegationOf<R>]?: N extends `${infer F extends FilterOf<R>}__not`
    ? OneOrMany<FilterValueInput<R, F>> | undefined
    : never
}

/** A list as the typed client asks for it: filters to values, or to values of which one must hold. */
export type ListInputOf<R extends ResourceRules> =
  | {
      readonly filters?: FiltersInput<R> | undefined
      readonly order_by?: readonly (OrderOf<R> | `-${OrderOf<R>}`)[] | undefined
      readonly limit?: number | undefined
      readonly offset?: number | undefined
    }
  | undefined

/** The filters of a list alone. */
const FilterInput = ListInput.unwrap().pick({ filters: true }).default({})

/** Returns the input of what reads a resource by the filters of its list. */
export function filterInputOf<R extends ResourceRules>(_rules: R) {
  return FilterInput as unknown as z.ZodType<ParsedListInput, Pick<NonNullable<ListInputOf<R>>, 'filters'> | undefined>
}

/** Returns the input of the list of a resource. Names are checked when it is called, and here by the compiler. */
export function listInputOf<R extends ResourceRules>(_rules: R) {
  return ListInput as unknown as z.ZodType<ParsedListInput, ListInputOf<R>>
}
