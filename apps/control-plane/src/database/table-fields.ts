import { relationKey, resourceUri } from '@roost/api-types/rest'
import type { FilterKind, ResourceRules } from '@roost/api-types/rest'
import { z } from 'zod'

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
  const isRelation = typeof kind === 'object' || beyond === 'id'
  const column = columnOf(base, isRelation, columns)
  if (beyond !== undefined && beyond !== 'id')
    return (values) => ({ [camelCase(base)]: { [camelCase(beyond)]: { in: values } } })
  return kind === 'boolean' ? anyOf((value) => ({ [column]: value })) : (values) => ({ [column]: { in: values } })
}

function anyOf(condition: (value: Values[number]) => Condition): (values: Values) => Condition {
  return (values) => ({ OR: values.map((value) => condition(value)) })
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
