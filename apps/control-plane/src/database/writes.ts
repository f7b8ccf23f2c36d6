import { isDeepStrictEqual } from 'node:util'
import { RoostError } from '@roost/api-types/rest'
import type { Caller } from '@roost/api-types/rpc'
import { fp } from '@roost/failpoints'
import { messages } from '../services/messages.js'
import type { IdempotencyStore } from './idempotency.js'
import { Validated } from './validated.js'
import type { AuditRecord, AuditStore, Transaction } from './transaction.js'

export interface Written<T> {
  readonly result: T
  readonly audit: AuditRecord
}

/** Runs every write of every feature: in one transaction with its audit record, so that neither is without the other. */
export interface Writes {
  run<T>(caller: Caller, work: (tx: Transaction) => Promise<Written<T>>): Promise<T>
}

export interface WritesOptions {
  readonly store: AuditStore
  readonly idempotency: IdempotencyStore
}

export function createWrites({ store, idempotency }: WritesOptions): Writes {
  return {
    async run(caller, work) {
      const written = await store.transaction(async (tx) => {
        const ticket = caller.idempotency
        if (ticket !== undefined && !(await idempotency.claim(tx, caller, ticket)))
          throw new RoostError('conflict', messages.keyInUse)
        const { result, audit } = await work(tx)
        await store.insert(tx, caller, audit)
        if (ticket !== undefined) await idempotency.insert(tx, caller, ticket, Object(result) as object)
        if (caller.validateOnly === true) throw new Validated(result)
        fp('cp.audit.beforeCommit')
        return result
      })
      fp('cp.write.afterCommitBeforeReply')
      return written
    },
  }
}

/** Field to `[before, after]` of the fields that differ. Fields named in `secrets` tell only that they changed. */
export function differences(before: object, after: object, secrets: readonly string[] = []): AuditRecord['changes'] {
  const old: Readonly<Record<string, unknown>> = { ...before }
  const now: Readonly<Record<string, unknown>> = { ...after }
  const changed = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (field) => !isDeepStrictEqual(old[field], now[field]),
  )
  const shown = (field: string, value: unknown) => (secrets.includes(field) && value != null ? '***' : (value ?? null))
  return Object.fromEntries(changed.map((field) => [field, [shown(field, old[field]), shown(field, now[field])]]))
}
