import type { AuditAction, ResourceRules } from '@roost/api-types/rest'
import type { AnyService, Declaration, ServiceOf } from '@roost/api-types/rpc'
import type { z } from 'zod'
import { found, unknownRelation } from '../services/errors.js'
import { assertFresh } from '../services/etag.js'
import { createReads } from '../services/reads.js'
import type { ReadStore } from '../services/reads.js'
import { nameOf } from './audit-event.js'
import { relationsOf } from './table-fields.js'
import type { Transaction } from './transaction.js'
import { differences } from './writes.js'
import type { Writes } from './writes.js'

type Output<S> = S extends z.ZodType ? z.output<S> : never

/** The writes of a store, each in the transaction of the service. */
interface CrudStore<R, I, P> extends ReadStore<R> {
  /** Keeps others from changing the row until the transaction ends. */
  findForUpdate(tx: Transaction, id: number): Promise<R | undefined>
  insert(tx: Transaction, input: I): Promise<R>
  update(tx: Transaction, id: number, change: P, before: R): Promise<R>
  delete(tx: Transaction, id: number): Promise<void>
}

/** The rules of a resource, asked before each write in its transaction. They throw a RoostError that says what to do. */
interface Checks<R, I, P> {
  create?(this: void, tx: Transaction, input: I): Promise<void>
  change?(this: void, tx: Transaction, before: R, change: P): Promise<void>
  remove?(this: void, tx: Transaction, before: R): Promise<void>
}

export interface CrudOptions<D extends Declaration> {
  readonly store: CrudStore<z.output<D['record']>, Output<D['create']>, Output<D['change']>>
  readonly writes: Writes
  readonly checks?: Checks<z.output<D['record']>, Output<D['create']>, Output<D['change']>>
}

/**
 * The service of a resource: its reads, and each write in one transaction with its audit event and its idempotency key.
 * A change and a removal first compare the ETag. Relations of a new record must exist.
 */
export function crudService<const D extends Declaration>(declaration: D, options: CrudOptions<D>): ServiceOf<D> {
  const { store, writes, checks = {} } = options as unknown as Untyped
  const { name, rules, create, secrets = [] } = declaration
  const relations = create === undefined ? [] : relationsOf(create)
  const audit = (action: AuditAction, record: Identified, before: object, after: object) => {
    const changes = differences(audited(before, rules, secrets), audited(after, rules, secrets), secrets)
    return { action, resource: name, resourceId: Number(record.id), changes, name: nameOf(name, record) }
  }
  const service: AnyService = {
    ...createReads(store),
    create: (input, caller) =>
      writes.run(caller, async (tx) => {
        const fields = Object(input) as Fields
        for (const [field, resource] of relations) await requireRow(tx, resource, fields[field])
        await checks.create?.(tx, input as never)
        const made = await store.insert(tx, input as never)
        const result = { ...made, ...sentSecrets(fields, secrets) }
        return { result, audit: audit('create', made, {}, result) }
      }),
    change: (id, change, caller, options) =>
      writes.run(caller, async (tx) => {
        const before = found(await store.findForUpdate(tx, id))
        assertFresh(before, rules, options?.ifMatch)
        await checks.change?.(tx, before, change as never)
        const changed = await store.update(tx, id, change as never, before)
        const result = { ...changed, ...sentSecrets(Object(change) as Fields, secrets) }
        return { result, audit: audit('change', changed, before, result) }
      }),
    remove: (id, caller, options) =>
      writes.run(caller, async (tx) => {
        const before = found(await store.findForUpdate(tx, id))
        assertFresh(before, rules, options?.ifMatch)
        await checks.remove?.(tx, before)
        await store.delete(tx, id)
        return { result: undefined, audit: audit('remove', before, before, {}) }
      }),
  }
  return service as unknown as ServiceOf<D>
}

type Fields = Readonly<Record<string, unknown>>
interface Identified {
  readonly id: number | string
}
interface Untyped {
  readonly store: CrudStore<Identified, never, never>
  readonly writes: Writes
  readonly checks?: Checks<Identified, never, never>
}

/** The secrets that this write has set: its answer is the only one that carries them. */
function sentSecrets(fields: Fields, secrets: readonly string[]): Fields {
  return Object.fromEntries(secrets.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]))
}

/** The fields that an operator can change: not those that change by themselves, nor the count of changes. */
function audited(record: object, { observed }: ResourceRules, secrets: readonly string[]): object {
  const isOwn = (field: string) => field === 'revision' || (observed.includes(field) && !secrets.includes(field))
  return Object.fromEntries(Object.entries(record).filter(([field]) => !isOwn(field)))
}

/** Throws unless the record exists; keeps it from being removed until the transaction ends. */
async function requireRow(tx: Transaction, resource: string, id: unknown): Promise<void> {
  if (typeof id !== 'number') return
  const rows = await tx.$queryRawUnsafe<object[]>(`select id from ${resource} where id = $1 for key share`, id)
  if (rows.length === 0) throw unknownRelation(resource, id)
}
