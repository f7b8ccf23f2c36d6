import { RoostError } from '@roost/api-types/rest'
import type { Caller } from '@roost/api-types/rpc'
import { messages } from '../../services/messages.js'
import { HttpError } from '../guards/http-error.js'

/** The first answer to a request with an Idempotency-Key, without its secrets. */
export interface KeptAnswer {
  readonly bodyMac: Uint8Array
  readonly answer: unknown
}

/** Where answers are kept for 24 hours. */
export interface Ledger {
  find(operatorId: number, path: string, key: string): Promise<KeptAnswer | undefined>
}

export interface Idempotency {
  readonly ledger: Ledger
  readonly bodyMac: { of(body: string): Uint8Array<ArrayBuffer>; matches(mac: Uint8Array, body: string): boolean }
}

export interface Repeatable {
  readonly caller: Caller
  readonly path: string
  readonly header: string | string[] | undefined
  readonly body: Readonly<Record<string, unknown>>
  /** Fields of the answer that are not kept; they are filled in from the body, which is the same. */
  readonly secrets: readonly string[]
}

/**
 * Runs a POST once for each Idempotency-Key: a repetition gets the first answer. `run` gets a caller that carries the
 * key along, because only the transaction of the write itself can keep the answer together with what it tells.
 */
export async function once<T extends object>(
  { ledger, bodyMac }: Idempotency,
  { caller, path, header, body, secrets }: Repeatable,
  run: (caller: Caller) => Promise<T>,
): Promise<T> {
  if (header === undefined) return run(caller)
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header))
    throw new RoostError('invalid', 'The Idempotency-Key must be 1 to 255 printable characters without blanks.')
  const text = JSON.stringify(body)
  const kept = await ledger.find(caller.operatorId, path, header)
  if (kept === undefined)
    return run({ ...caller, idempotency: { key: header, path, bodyMac: bodyMac.of(text), secrets } })
  if (!bodyMac.matches(kept.bodyMac, text)) throw new HttpError(422, messages.keyReused)
  const filled = secrets.filter((field) => typeof body[field] === 'string').map((field) => [field, body[field]])
  return { ...(kept.answer as T), ...Object.fromEntries(filled) }
}
