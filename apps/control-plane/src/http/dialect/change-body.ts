import { isDeepStrictEqual } from 'node:util'
import { idOfRelation } from '@roost/api-types/rest'
import type { FieldErrors, ResourceRules } from '@roost/api-types/rest'
import type { z } from 'zod'
import { parseFields } from '../../services/field-errors.js'
import type { Field, Fields } from './fields.js'

/** How a change of one record is read. */
export interface ChangeReader<P> {
  readonly schema: z.ZodType<P>
  /** The fields of the record, and those that a change may carry. */
  readonly record: Fields
  readonly input: Fields
  readonly rules: ResourceRules
}

type Body = Readonly<Record<string, unknown>>

/**
 * The change that a body asks for. A field that may not change is accepted with its present value, because old clients
 * send the whole record, and is a fault with another. What moves by itself is ignored.
 */
export async function parseChange<P>(reader: ChangeReader<P>, body: Body, present: () => Promise<object>): Promise<P> {
  const fixed = Object.keys(body).filter((name) => isFixed(name, reader))
  const faults = fixed.length === 0 ? {} : faultsOf(fixed, reader, body, await present())
  return parseFields(reader.schema, body, faults)
}

function isFixed(name: string, { record, input, rules }: ChangeReader<unknown>): boolean {
  if (name === 'id' || name === 'resource_uri' || rules.observed.includes(name)) return false
  return Object.hasOwn(record.properties, name) && !Object.hasOwn(input.properties, name)
}

function faultsOf(
  names: readonly string[],
  { record }: ChangeReader<unknown>,
  body: Body,
  present: object,
): FieldErrors {
  const before: Body = { ...present }
  const changed = names.filter((name) => !isSame(record.properties[name], body[name], before[name]))
  return Object.fromEntries(changed.map((name) => [name, ['This field may not be changed.']]))
}

function isSame(field: Field | undefined, sent: unknown, present: unknown): boolean {
  if (isDeepStrictEqual(sent, present)) return true
  if (field?.relation === undefined) return false
  const id = idOfRelation(field.relation, sent)
  return id !== undefined && id === idOfRelation(field.relation, present)
}
