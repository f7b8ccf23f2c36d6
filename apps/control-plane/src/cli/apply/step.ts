import { isDeepStrictEqual } from 'node:util'
import type { Rpc } from '../client/api.js'
import type { Described } from './documents.js'

/** Field to its value before and after. */
export type Changes = Readonly<Record<string, readonly [before: unknown, after: unknown]>>

/** One write that brings a record to what its file describes. */
export interface Step {
  readonly action: 'create' | 'change' | 'remove'
  readonly kind: Described['kind']
  /** As other commands accept it, such as `prod/bob`. */
  readonly name: string
  readonly changes: Changes
  /** The record that an earlier step of the plan may create or change; `kind name`. */
  readonly needs?: string
  /** Makes the write, or has the server only check it. Returns a sentence where the operator has more to do. */
  readonly run: (rpc: Rpc, check: Check) => Promise<string | undefined>
}

/** The input of every write that has the server check it alone. */
export type Check = { readonly validate_only?: true }

type Fields = Readonly<Record<string, unknown>>

/** Returns the fields that a file describes and that differ from a record. Undefined is a field that the file leaves out. */
export function differing(described: Fields, record: Fields): Changes {
  return Object.fromEntries(
    Object.entries(described)
      .filter(([field, after]) => after !== undefined && !isDeepStrictEqual(after, record[field]))
      .map(([field, after]) => [field, [record[field], after] as const]),
  )
}

/** Returns the values after the changes. */
export function valuesAfter(changes: Changes): Record<string, unknown> {
  return Object.fromEntries(Object.entries(changes).map(([field, [, after]]) => [field, after]))
}
