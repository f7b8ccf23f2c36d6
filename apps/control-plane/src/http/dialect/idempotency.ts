import { RoostError } from '@roost/api-types/rest'
import type { Caller, Repeatable } from '@roost/api-types/rpc'
import type { z } from 'zod'
import { parseFields } from '../../services/field-errors.js'
import { messages } from '../../services/messages.js'
import { objectBody } from '../guards/body.js'
import { HttpError } from '../guards/http-error.js'
import type { Route } from './route.js'
import { idempotencyKey } from './schema-document.js'

/** The first answer to a request with an Idempotency-Key, without its secrets. */
export interface KeptAnswer {
  readonly bodyMac: Uint8Array
  readonly answer: unknown
}

/** Where answers are kept for 24 hours. */
export interface Ledger {
  find(operatorId: number, path: string, key: string): Promise<KeptAnswer | undefined>
}

export interface IdempotencyOptions {
  readonly ledger: Ledger
  readonly bodyMac: { of(body: string): Uint8Array<ArrayBuffer>; matches(mac: Uint8Array, body: string): boolean }
}

export interface Idempotency {
  /**
   * Runs a write once for each Idempotency-Key: a repetition gets the first answer. `run` gets a caller that carries the
   * key along, because only the transaction of the write itself can store the answer together with its change. A write that
   * is only checked uses up no key.
   */
  once<T extends object>(this: void, request: Repeatable, run: (caller: Caller) => Promise<T>): Promise<T>
}

export function createIdempotency({ ledger, bodyMac }: IdempotencyOptions): Idempotency {
  /** Requests that run now. A write may ask a node first, long before its transaction begins. */
  const running = new Set<string>()

  async function first<T extends object>(
    key: string,
    { caller, path, body, secrets }: Repeatable,
    run: (caller: Caller) => Promise<T>,
  ): Promise<T> {
    const text = JSON.stringify(body)
    const kept = await ledger.find(caller.operatorId, path, key)
    if (kept === undefined) return run({ ...caller, idempotency: { key, path, bodyMac: bodyMac.of(text), secrets } })
    if (!bodyMac.matches(kept.bodyMac, text)) throw new HttpError(422, messages.keyReused)
    const filled = secrets.filter((field) => typeof body[field] === 'string').map((field) => [field, body[field]])
    return { ...(kept.answer as T), ...Object.fromEntries(filled) }
  }

  return {
    async once(request, run) {
      const { caller, path, key } = request
      if (key === undefined) return run(caller)
      if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
        throw new RoostError('invalid', 'The Idempotency-Key must be 1 to 255 printable characters without blanks.')
      if (caller.validateOnly === true) return run(caller)
      const name = `${caller.operatorId} ${path} ${key}`
      if (running.has(name)) throw new RoostError('conflict', messages.keyInUse)
      running.add(name)
      try {
        return await first(key, request, run)
      } finally {
        running.delete(name)
      }
    },
  }
}

/** A POST below one record, whose path has the id. */
interface IdempotentPost<T> extends Omit<Route, 'method' | 'headers' | 'body' | 'handle'> {
  readonly body: z.ZodType<T>
  /** Fields of the answer that are not kept for repetitions. */
  readonly secrets?: readonly string[]
  run(this: void, id: number, input: T, caller: Caller): Promise<object>
}

/** Returns a route that runs once for each Idempotency-Key. */
export function idempotentPost<T>(
  idempotency: Idempotency,
  { body: schema, secrets = [], run, ...route }: IdempotentPost<T>,
): Route {
  return {
    ...route,
    method: 'POST',
    headers: idempotencyKey,
    body: schema,
    handle({ id, body, caller, headers }) {
      const path = `/api/v1/${route.path.replace(':id', String(id))}`
      const request = { caller, path, key: headers['idempotency-key'], body: objectBody(body), secrets }
      return idempotency.once(request, (once) => run(id, parseFields(schema, body), once))
    },
  }
}
