import { relationKey, resourceUri } from '@roost/api-types/rest'
import type { FilterKind, ResourceRules } from '@roost/api-types/rest'
import type { Declaration } from '@roost/api-types/rpc'
import { z } from 'zod'
import type { Negations } from './listing.js'

/** Fields to columns, as Prisma names them, where the names do not say it. */
export type Columns = Readonly<Record<string, string>>
type Values = readonly (string | number | boolean)[]
type Condition = Readonly<Record<string, unknown>>

function camelCase(field: string): string {
  return field.replaceAll(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase())
}

/** The column of a field: `size_bytes` is `sizeBytes`, and the relation `cluster` is `clusterId`. */
export function columnOf(field: string, isRelation: boolean, columns: Columns): string {
  return columns[field] ?? `${camelCase(field)}${isRelation ? 'Id' : ''}`
}

/** The condition of a filter. `cluster__name` is a column of the row that the relation leads to. */
export function conditionOf(field: string, kind: FilterKind, columns: Columns): (values: Values) => Condition {
  const [base = field, beyond] = field.split('__')
  // One of several values must hold, as of every filter.
  if (kind === 'since') return anyOf((gte) => ({ [columnOf(base, false, columns)]: { gte } }))
  if (kind === 'until') return anyOf((lt) => ({ [columnOf(base, false, columns)]: { lt } }))
  if (kind === 'above') return anyOf((gt) => ({ [columnOf(base, false, columns)]: { gt } }))
  if (kind === 'part') return anyOf((text) => ({ [columnOf(base, false, columns)]: containing(String(text)) }))
  const isRelation = typeof kind === 'object' || beyond === 'id'
  const column = columnOf(base, isRelation, columns)
  if (beyond !== undefined && beyond !== 'id')
    return (values) => ({ [camelCase(base)]: { [camelCase(beyond)]: { in: values } } })
  return kind === 'boolean' ? anyOf((value) => ({ [column]: value })) : (values) => ({ [column]: { in: values } })
}

/** Returns the condition of a filter `part`: one of the texts is in one of these columns. */
export function partOf<C extends string>(...columns: readonly C[]) {
  return (texts: string[]) => ({
    OR: texts.flatMap((text) => columns.map((column) => ({ [column]: containing(text) }) as PartOf<C>)),
  })
}

type PartOf<C extends string> = { readonly [column in C]?: ReturnType<typeof containing> }

/** The condition of a text that has another one in it. Prisma passes a pattern of LIKE on as it is. */
export function containing(text: string) {
  return { contains: escapeLike(text), mode: 'insensitive' } as const
}

/** Returns the text without a meaning of its own in a pattern of LIKE. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`)
}

function anyOf(condition: (value: Values[number]) => Condition): (values: Values) => Condition {
  return (values) => ({ OR: values.map((value) => condition(value)) })
}

/** Returns what the negation of filters has to know about a record: where it may be null, and what few values it has. */
export function negationsOf(
  { record, rules }: Pick<Declaration, 'record' | 'rules'>,
  columns: Columns,
): Negations<Condition> {
  const shape = shapeOf(record)
  const unset: Record<string, Condition> = {}
  const known: Record<string, readonly string[]> = {}
  for (const [field, kind] of Object.entries(rules.filters)) {
    const [base = field, beyond] = field.split('__')
    const schema = shape[base]
    const isRelation = typeof kind === 'object' || relationOf(schema) !== undefined
    if (isNullable(schema)) unset[field] = { [columnOf(base, isRelation, columns)]: null }
    const values = beyond === undefined ? valuesOf(schema) : []
    if (values.length > 0) known[field] = values
  }
  return { unset, known }
}

/** The column by which a list is ordered. */
export function orderOf({ filters }: ResourceRules, field: string, columns: Columns) {
  const column = columnOf(field, typeof filters[field] === 'object', columns)
  return (direction: 'asc' | 'desc') => ({ [column]: direction })
}

/** Makes records of rows: URIs of relations, ISO 8601 of times, numbers of large integers. An optional field that is null is absent. */
export function recordReader(resource: string, record: z.ZodType, columns: Columns): (row: object) => object {
  const fields = Object.entries(shapeOf(record)).map(([field, schema]) => {
    const relation = relationOf(schema)
    const column = columnOf(field, relation !== undefined, columns)
    return { field, relation, column, isOptional: schema instanceof z.ZodOptional }
  })
  return (row) => {
    const values = row as Readonly<Record<string, unknown>>
    const entries = fields
      .filter(({ column, isOptional }) => !isOptional || values[column] != null)
      .map(({ field, relation, column }) => [field, shown(values[column], relation)])
    return { ...Object.fromEntries(entries), resource_uri: resourceUri(resource, Number(values['id'])) }
  }
}

/** Makes columns of the fields of a body that are set. */
export function columnWriter(body: z.ZodType, columns: Columns): (fields: object) => object {
  const shape = shapeOf(body)
  return (fields) =>
    Object.fromEntries(
      Object.entries(fields)
        .filter(([, value]) => value !== undefined)
        .map(([field, value]) => [columnOf(field, relationOf(shape[field]) !== undefined, columns), value as unknown]),
    )
}

/** The relations of a body: field to resource. */
export function relationsOf(body: z.ZodType): readonly (readonly [field: string, resource: string])[] {
  return Object.entries(shapeOf(body)).flatMap(([field, schema]) => {
    const resource = relationOf(schema)
    return resource === undefined ? [] : [[field, resource] as const]
  })
}

function shapeOf(schema: z.ZodType): Readonly<Record<string, z.ZodType>> {
  return schema instanceof z.ZodObject ? schema.shape : {}
}

function isNullable(schema: z.ZodType | undefined): boolean {
  return schema instanceof z.ZodNullable || schema instanceof z.ZodOptional
}

function valuesOf(schema: z.ZodType | undefined): readonly string[] {
  const inner = schema instanceof z.ZodNullable || schema instanceof z.ZodOptional ? schema.unwrap() : schema
  return inner instanceof z.ZodEnum ? inner.options.map(String) : []
}

function relationOf(schema: z.ZodType | undefined): string | undefined {
  const relation = schema?.meta()?.[relationKey]
  if (typeof relation === 'string') return relation
  const isWrapped = schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
  return isWrapped ? relationOf(schema.unwrap() as z.ZodType) : undefined
}

function shown(value: unknown, relation: string | undefined): unknown {
  if (relation !== undefined) return value === null ? null : resourceUri(relation, Number(value))
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'bigint' ? Number(value) : value
}
