import type { FilterKind, ResourceRules } from '@roost/api-types/rest'
import { z } from 'zod'
import type { Field } from './fields.js'
import { fieldsOf } from './fields.js'
import type { Resource } from './resource.js'

const DescribedField = z.object({
  type: z.string(),
  nullable: z.boolean(),
  blank: z.boolean(),
  readonly: z.boolean(),
  unique: z.boolean(),
  default: z.unknown(),
  help_text: z.string(),
  related_type: z.string().optional(),
  related_schema: z.string().optional(),
})

/** The result of `schemaDocument`. */
export const SchemaDocument = z.object({
  allowed_list_http_methods: z.array(z.string()),
  allowed_detail_http_methods: z.array(z.string()),
  default_format: z.string(),
  default_limit: z.int(),
  fields: z.record(z.string(), DescribedField),
  filtering: z.record(z.string(), z.array(z.string())),
  ordering: z.array(z.string()),
})
type SchemaDocument = z.infer<typeof SchemaDocument>

const everyLookup = ['exact', 'in']
const rangeLookups = { since: 'gte', until: 'lt', above: 'gt' } as const

/** Returns the lookup of a filter that is a comparison, such as `gt` of `id__gt`; undefined for all others. */
export function rangeLookup(kind: FilterKind): string | undefined {
  return typeof kind === 'string' && kind in rangeLookups ? rangeLookups[kind as keyof typeof rangeLookups] : undefined
}

/** `schema/`: fields, methods, filters and ordering in the format of the API.s predecessor. */
export function schemaDocument(resource: Resource): SchemaDocument {
  const { properties } = fieldsOf(resource.record, 'output')
  const writable = writableFields(resource)
  return {
    allowed_list_http_methods: allowed('get', [resource.create, 'post'], [resource.changeMany, 'patch']),
    allowed_detail_http_methods: allowed('get', [resource.change, 'patch'], [resource.remove, 'delete']),
    default_format: 'application/json',
    default_limit: 20,
    fields: Object.fromEntries(
      Object.entries({ ...properties, ...writable, ...properties }).map(([name, field]) => [
        name,
        describe(name, field, writable),
      ]),
    ),
    filtering: lookupsOf(resource.rules.filters),
    ordering: [...resource.rules.ordering],
  }
}

/** Returns the lookups of each field: `id__gt` is `gt` of `id`. */
function lookupsOf(filters: ResourceRules['filters']): Record<string, string[]> {
  const lookups: Record<string, string[]> = {}
  for (const [name, kind] of Object.entries(filters)) {
    const range = rangeLookup(kind)
    const field = range === undefined ? name : name.slice(0, -`__${range}`.length)
    lookups[field] = [...(lookups[field] ?? []), ...(range === undefined ? everyLookup : [range])]
  }
  return lookups
}

function allowed(first: string, ...verbs: readonly (readonly [verb: unknown, method: string])[]): string[] {
  return [first, ...verbs.filter(([verb]) => verb !== undefined).map(([, method]) => method)]
}

/** Returns the fields of the bodies, for those that the record does not have, such as a password. */
function writableFields({ create, change }: Resource): Readonly<Record<string, Field>> {
  return Object.assign(
    {},
    ...[change, create].map((verb) => (verb === undefined ? {} : fieldsOf(verb.body, 'input').properties)),
  ) as Readonly<Record<string, Field>>
}

function describe(
  name: string,
  field: Field,
  writable: Readonly<Record<string, Field>>,
): SchemaDocument['fields'][string] {
  const input = writable[name]
  return {
    type: typeOf(field),
    nullable: field.nullable,
    blank: field.nullable || field.mayBeEmpty || input?.default === '',
    readonly: input === undefined,
    unique: ['id', 'uuid', 'resource_uri'].includes(name),
    default: input?.default ?? 'No default provided.',
    help_text: field.description,
    ...(field.relation === undefined
      ? {}
      : { related_type: 'to_one', related_schema: `/api/v1/${field.relation}/schema/` }),
  }
}

const types: Readonly<Record<string, string>> = {
  number: 'float',
  array: 'list',
  object: 'dict',
}

function typeOf({ type, format, relation }: Field): string {
  if (relation !== undefined) return 'related'
  if (format === 'date-time') return 'datetime'
  return types[type] ?? type
}
