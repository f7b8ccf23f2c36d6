import { isDeepStrictEqual } from 'node:util'
import type { Caller } from '@roost/api-types/rpc'
import type { AuditRecord, AuditStore, Transaction } from './store.js'

export interface Written<T> {
  readonly result: T
  readonly audit: AuditRecord
}

/** Runs every write of every feature: in one transaction with its audit record, so that neither is without the other. */
export interface Writes {
  run<T>(caller: Caller, work: (tx: Transaction) => Promise<Written<T>>): Promise<T>
}

export function createWrites(store: AuditStore): Writes {
  return {
    run: (caller, work) =>
      store.transaction(async (tx) => {
        const { result, audit } = await work(tx)
        await store.insert(tx, caller, audit)
        return result
      }),
  }
}

/** Field to `[before, after]` of the fields that differ. Fields named in `secrets` tell only that they changed. */
export function differences(before: object, after: object, secrets: readonly string[] = []): AuditRecord['changes'] {
  const old: Readonly<Record<string, unknown>> = { ...before }
  const now: Readonly<Record<string, unknown>> = { ...after }
  const changed = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (field) => !isDeepStrictEqual(old[field], now[field]),
  )
  const tell = (field: string, value: unknown) => (secrets.includes(field) && value != null ? '***' : (value ?? null))
  return Object.fromEntries(changed.map((field) => [field, [tell(field, old[field]), tell(field, now[field])]]))
}
