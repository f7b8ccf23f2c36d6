import { type JsonSchema, typesOf, variantsOf } from './protocol-schemas.js'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
type Path = readonly (string | number)[]

/** JSON has no infinite number, but `1e400` becomes one: this text is replaced by it without its quotes. */
const infinite = '@infinite@'

const deep = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as Json

/** The values that each part of each message gets. */
export const hostileValues: readonly Json[] = [
  null,
  true,
  0,
  -1,
  0.5,
  1e-300,
  -1e308,
  1e308,
  infinite,
  2 ** 31,
  2 ** 50,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 64,
  '',
  '0',
  '\0',
  '\ud800',
  '\u202e\u0007\u001b[2J',
  "../../etc/passwd'; drop table nodes; --",
  '__proto__',
  'constructor',
  'x'.repeat(600),
  'x'.repeat(66_000),
  [],
  [[]],
  deep(10),
  deep(100),
  Array.from({ length: 21_000 }, () => 0),
  {},
  JSON.parse('{"__proto__":{"type":"hello"},"constructor":1,"toString":1,"length":-1}') as Json,
  Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`field-${i}`, i])),
]

/** Values that make a sample more than formally valid: it reaches the features behind the checks. */
type Samples = Readonly<Record<string, Json>>

/** Returns a valid value of a schema: the first of its variants, and lists with an element of each. */
export function sampleOf(schema: JsonSchema, samples: Samples, name = ''): Json {
  if (schema.const !== undefined) return schema.const as Json
  const given = samples[name]
  if (given !== undefined) return given
  if (schema.enum !== undefined) return schema.enum[0] as Json
  const variants = variantsOf(schema)
  if (variants !== undefined) return sampleOf(variants.find(isNotNull) ?? {}, samples, name)
  return plainSample(schema, samples, name)
}

const isNotNull = (schema: JsonSchema) => !typesOf(schema).includes('null')

function plainSample(schema: JsonSchema, samples: Samples, name: string): Json {
  const [type] = typesOf(schema)
  if (type === 'object') return sampleObject(schema, samples)
  if (type === 'array') return elementsOf(schema).map((element) => sampleOf(element, samples, name))
  if (type === 'string') return 'sample'
  return type === 'boolean' ? true : 1
}

/** An element of each variant. */
function elementsOf({ items = {} }: JsonSchema): readonly JsonSchema[] {
  return variantsOf(items)?.filter(isNotNull) ?? [items]
}

function sampleObject({ properties = {}, additionalProperties }: JsonSchema, samples: Samples): Json {
  const fields = Object.entries(properties).map(([field, schema]) => [field, sampleOf(schema, samples, field)] as const)
  const free =
    typeof additionalProperties === 'object' ? [['free', sampleOf(additionalProperties, samples)] as const] : []
  return Object.fromEntries([...fields, ...free])
}

/** Returns the paths of all parts of a value: its leaves, its lists and its objects. */
export function partsOf(value: Json, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, part]) => partsOf(part, [...path, key]))]
}

/** Returns the JSON text of the value with another value for one of its parts. */
export function textWith(value: Json, path: Path, part: Json): string {
  return jsonText(replaced(value, path, part))
}

/** Returns the JSON text of the value, with its infinite numbers. */
export function jsonText(value: Json): string {
  return JSON.stringify(value).replaceAll(`"${infinite}"`, '1e400')
}

function replaced(value: Json, [key, ...rest]: Path, part: Json): Json {
  if (key === undefined) return part
  const inner = (value as Readonly<Record<string | number, Json>>)[key] ?? null
  if (!Array.isArray(value)) return { ...(value as object), [key]: replaced(inner, rest, part) }
  return (value as readonly Json[]).map((one, index) => (index === Number(key) ? replaced(one, rest, part) : one))
}
