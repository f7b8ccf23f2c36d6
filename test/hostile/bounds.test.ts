import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import {
  agentSchemas,
  enrollmentSchemas,
  type JsonSchema,
  serverSchemas,
  typesOf,
  variantsOf,
} from '../support/hostile/protocol-schemas.js'

/** Returns the paths of all parts of a schema that could have any size, length or value. */
function unbounded(schema: JsonSchema, path: string): readonly string[] {
  const variants = variantsOf(schema)
  if (variants !== undefined) return variants.flatMap((variant) => unbounded(variant, path))
  if (schema.const !== undefined || schema.enum !== undefined) return []
  const types = typesOf(schema)
  return types.length === 0 ? [`${path}: any value`] : types.flatMap((type) => faultsOf(type, schema, path))
}

function faultsOf(type: string, schema: JsonSchema, path: string): readonly string[] {
  switch (type) {
    case 'object':
      return faultsOfObject(schema, path)
    case 'array':
      return [
        ...(schema.maxItems === undefined ? [`${path}: any number of elements`] : []),
        ...unbounded(schema.items ?? {}, `${path}[]`),
      ]
    case 'string':
      return schema.maxLength === undefined ? [`${path}: any length`] : []
    default:
      return ['boolean', 'null'].includes(type) || isRange(schema) ? [] : [`${path}: any ${type}`]
  }
}

function faultsOfObject(schema: JsonSchema, path: string): readonly string[] {
  const { properties = {}, propertyNames, additionalProperties, maxProperties } = schema
  const fields = Object.entries(properties).flatMap(([name, field]) => unbounded(field, `${path}.${name}`))
  if (typeof additionalProperties !== 'object') return fields
  return [
    ...fields,
    ...(maxProperties === undefined ? [`${path}: any number of fields`] : []),
    ...unbounded(propertyNames ?? { type: 'string' }, `${path}: names`),
    ...unbounded(additionalProperties, `${path}.*`),
  ]
}

function isRange({ minimum, exclusiveMinimum, maximum }: JsonSchema): boolean {
  return (minimum ?? exclusiveMinimum) !== undefined && maximum !== undefined
}

describe('every field of the protocol has a bound', () => {
  it.each([...agentSchemas, ...serverSchemas, ...enrollmentSchemas])('$name', ({ name, schema }) => {
    expect(unbounded(schema, name)).toEqual([])
  })

  it('and this test finds one that has none', () => {
    const open = z.object({
      a: z.string(),
      b: z.array(z.number()),
      c: z.record(z.string(), z.boolean()),
      d: z.unknown(),
    })
    const schema = z.toJSONSchema(open, { io: 'input', unrepresentable: 'any' }) as JsonSchema
    expect(unbounded(schema, 'open')).toEqual([
      'open.a: any length',
      'open.b: any number of elements',
      'open.b[]: any number',
      'open.c: any number of fields',
      'open.c: names: any length',
      'open.d: any value',
    ])
  })
})
