import { maxSearchLength } from '@roost/api-types/rest'
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

const everyLookup = ['exact', 'in', 'not']
/** Filters with one lookup of their own. */
const ownLookups = { since: 'gte', until: 'lt', above: 'gt', part: 'icontains' } as const

/** Returns the only lookup of a filter, such as `gt` of `id__gt`; undefined where it has every lookup. */
function ownLookup(kind: FilterKind): string | undefined {
  return typeof kind === 'string' && kind in ownLookups ? ownLookups[kind as keyof typeof ownLookups] : undefined
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
    const own = ownLookup(kind)
    const field = own === undefined || !name.endsWith(`__${own}`) ? name : name.slice(0, -`__${own}`.length)
    lookups[field] = [...(lookups[field] ?? []), ...(own === undefined ? everyLookup : [own])]
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

/** The headers of requests, as the documentation describes them. */
export const ifMatch = {
  'If-Match': z
    .string()
    .describe(
      'The ETag of the record as the caller last read it. The answer is 412 if the record has changed since. `*` matches any version.',
    ),
}
export const ifNoneMatch = {
  'If-None-Match': z
    .string()
    .describe(
      'The ETag of the record as the caller last read it. The answer is 304 if the record has not changed since.',
    ),
}
export const idempotencyKey = {
  'Idempotency-Key': z
    .string()
    .regex(/^[!-~]{1,255}$/)
    .describe('A repeated request with the same key and body within 24 hours receives the answer to the first one.'),
}

/** Returns the query parameters of the filters of a list, for the documentation. */
export function filterParameters({ record, rules }: Resource): Readonly<Record<string, z.ZodType>> {
  const { properties } = fieldsOf(record, 'output')
  const filters = Object.entries(rules.filters).flatMap(([name, kind]) => {
    const value = valueOf(kind, properties[name]?.values ?? [])
    return [
      [name, value] as const,
      ...(ownLookup(kind) === undefined
        ? ([
            [`${name}__in`, z.array(value).describe(`Values of ${name}, separated by commas`)],
            [`${name}__not`, z.array(value).describe(`Values that ${name} does not have, separated by commas`)],
          ] as const)
        : []),
    ]
  })
  return Object.fromEntries(filters)
}

/** Returns the query parameters of a list, for the documentation. */
export function listParameters(resource: Resource): Readonly<Record<string, z.ZodType>> {
  return {
    ...pagingParameters,
    order_by: z
      .array(z.enum(resource.rules.ordering.flatMap((field) => [field, `-${field}`])))
      .describe('Field to sort by; `-` before it sorts in descending order. May be repeated'),
    ...filterParameters(resource),
  }
}

/** The parameters of a list without filters. */
export const pagingParameters = {
  limit: z.int().min(0).describe('Page size; 0 or more than 1000 means 1000').meta({ default: 20 }),
  offset: z.int().min(0).describe('Offset of the first object').meta({ default: 0 }),
}

/** Returns the schema of a filter's value. `known` are all the values that the field of that name has. */
function valueOf(kind: FilterKind, known: readonly string[]): z.ZodType {
  if (typeof kind === 'object') return z.string().describe(`Id or resource URI of a record of ${kind.relation}`)
  if (kind === 'text' && known.length > 0) return z.enum(known)
  return {
    integer: z.int(),
    number: z.number(),
    boolean: z.boolean(),
    text: z.string(),
    uuid: z.uuid(),
    since: z.iso.datetime(),
    until: z.iso.datetime(),
    part: z.string().min(1).max(maxSearchLength).describe('A part of the texts of records; letter case does not count'),
    above: z.int().describe('Records with a greater value'),
  }[kind]
}
