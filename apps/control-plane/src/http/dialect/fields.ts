import { blankKey, relationKey } from '@roost/api-types/rest'
import { z } from 'zod'

/** What the dialect needs to know about one field of a schema. */
export interface Field {
  /** As in JSON Schema: `string`, `integer`, `number`, `boolean`, `array`, `object`. */
  readonly type: string
  readonly format: string | undefined
  readonly nullable: boolean
  /** All the values of a text that has few; otherwise none. */
  readonly values: readonly string[]
  readonly description: string
  readonly default: unknown
  /** The resource whose URI the field holds. */
  readonly relation: string | undefined
  /** An empty list or text is a normal value. */
  readonly mayBeEmpty: boolean
}

export interface Fields {
  readonly properties: Readonly<Record<string, Field>>
  /** What every variant of the schema requires. */
  readonly required: ReadonlySet<string>
}

interface JsonSchema {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly [relationKey]?: string
  readonly [blankKey]?: boolean
}

/** The fields of a schema; those of all its variants when it is a union. */
export function fieldsOf(schema: z.ZodType, io: 'input' | 'output'): Fields {
  const root = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema
  const resolve = (part: JsonSchema): JsonSchema => {
    const name = part.$ref?.replace('#/$defs/', '')
    const target = name === undefined ? undefined : root.$defs?.[name]
    return target === undefined ? part : { ...resolve(target), ...part }
  }
  const collect = (part: JsonSchema): Fields => {
    const { anyOf, oneOf, allOf, properties = {}, required = [] } = resolve(part)
    const variants = oneOf ?? anyOf
    if (variants !== undefined) return merge(variants.map(collect))
    if (allOf !== undefined) return combine(allOf.map(collect))
    const entries = Object.entries(properties).map(([name, field]) => [name, describe(field, resolve)] as const)
    return { properties: Object.fromEntries(entries), required: new Set(required) }
  }
  return collect(root)
}

/** The fields of an intersection. */
function combine(parts: readonly Fields[]): Fields {
  return {
    properties: propertiesOf(parts),
    required: new Set(parts.flatMap(({ required }) => [...required])),
  }
}

/** The fields of all parts; one that several have, such as the protocol, has the default of the part that has one. */
function propertiesOf(parts: readonly Fields[]): Fields['properties'] {
  const all = new Map<string, Field>()
  for (const [name, field] of parts.flatMap(({ properties }) => Object.entries(properties)))
    all.set(name, {
      ...field,
      default: all.get(name)?.default ?? field.default,
      values: [...new Set([...(all.get(name)?.values ?? []), ...field.values])],
    })
  return Object.fromEntries(all)
}

function merge(variants: readonly Fields[]): Fields {
  const [first, ...others] = variants
  return {
    properties: propertiesOf(variants),
    required: new Set(
      [...(first?.required ?? [])].filter((name) => others.every(({ required }) => required.has(name))),
    ),
  }
}

function describe(part: JsonSchema, resolve: (part: JsonSchema) => JsonSchema): Field {
  const outer = resolve(part)
  const variants = [outer, ...(outer.anyOf ?? []).map(resolve)]
  const types = variants.flatMap(({ type = [] }) => type)
  return {
    type: types.find((type) => type !== 'null') ?? 'object',
    format: variants.find(({ format }) => format !== undefined)?.format,
    nullable: types.includes('null'),
    values: variants.flatMap(valuesOf),
    description: outer.description ?? '',
    default: outer.default,
    relation: variants.map((variant) => variant[relationKey]).find((relation) => relation !== undefined),
    mayBeEmpty: variants.some((variant) => variant.type === 'array' || variant[blankKey] === true),
  }
}

function valuesOf(part: JsonSchema): readonly string[] {
  return (part.enum ?? [part.const]).filter((value) => typeof value === 'string')
}
