import fc from 'fast-check'
import { type Json, jsonText, partsOf, textWith } from './hostile-values.js'
import type { JsonSchema, NamedSchema } from './protocol-schemas.js'

const seed = 20_261_123
const atOnce = 500

export interface RandomMessages {
  readonly count: number
  readonly schemas: readonly NamedSchema[]
  /** Returns the valid message that is changed. */
  readonly sample: (schema: JsonSchema) => Json
  readonly values: readonly Json[]
  /** Whether a change may make it a message of another type. */
  readonly changesType: boolean
}

/**
 * Texts of random kinds of message, each with one to four hostile parts. The same ones in each run. They are made as they are
 * sent: a hundred thousand at once would take minutes, in which a control plane in the same process answers no request.
 */
export function* randomMessages({ count, schemas, sample, values, changesType }: RandomMessages): Generator<string> {
  const change = fc.tuple(fc.nat(), fc.oneof(fc.constantFrom(...values), fc.jsonValue() as fc.Arbitrary<Json>))
  const message = fc.tuple(fc.constantFrom(...schemas), fc.array(change, { minLength: 1, maxLength: 4 }))
  for (let made = 0; made < count; made += atOnce) {
    const some = fc.sample(message, { numRuns: Math.min(atOnce, count - made), seed: seed + made })
    for (const [{ schema }, changes] of some) yield changedText(sample(schema), changes, changesType)
  }
}

/** Each change puts a value at a part of what the changes before it have left. */
function changedText(value: Json, changes: readonly (readonly [number, Json])[], changesType: boolean): string {
  let text = jsonText(value)
  for (const [at, part] of changes) {
    const current = JSON.parse(text) as Json
    const parts = partsOf(current).filter((path) => path.length > 0 && (changesType || path[0] !== 'type'))
    text = textWith(current, parts[at % parts.length] ?? [], part)
  }
  return text
}
