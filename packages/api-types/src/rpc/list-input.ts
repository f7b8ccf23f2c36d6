import { z } from 'zod'
import { idOfUri, maxId } from '../rest/index.js'
import type { OneOrMany } from './by-names.js'
import type { FilterOf, FilterValue, OrderOf, ResourceRules } from '../rest/index.js'

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
    filters: Object.entries(input.filters ?? {}).map(([field, value]) => {
      const kind = Object.hasOwn(filters, field) ? filters[field] : undefined
      const values = Array.isArray(value) ? value : [value]
      return { field, values: typeof kind === 'object' ? values.map((one) => idOrValue(kind.relation, one)) : values }
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
type FilterInput<R extends ResourceRules, F extends FilterOf<R>> =
  | FilterValue<R, F>
  | (R['filters'][F] extends { readonly relation: string } ? string : never)

/** A list as the typed client asks for it: filters to values, or to values of which one must hold. */
export type ListInputOf<R extends ResourceRules> =
  | {
      readonly filters?: { readonly [F in FilterOf<R>]?: OneOrMany<FilterInput<R, F>> | undefined } | undefined
      readonly order_by?: readonly (OrderOf<R> | `-${OrderOf<R>}`)[] | undefined
      readonly limit?: number | undefined
      readonly offset?: number | undefined
    }
  | undefined

/** Returns the input of the list of a resource. Names are checked when it is called, and here by the compiler. */
export function listInputOf<R extends ResourceRules>(_rules: R) {
  return ListInput as unknown as z.ZodType<ParsedListInput, ListInputOf<R>>
}
