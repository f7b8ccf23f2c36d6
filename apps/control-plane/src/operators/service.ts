import { operatorRules, RoostError } from '@roost/api-types/rest'
import type { Operator, OperatorChange } from '@roost/api-types/rest'
import type { OperatorService } from '@roost/api-types/rpc'
import { differences } from '../database/writes.js'
import type { Writes } from '../database/writes.js'
import type { Transaction } from '../database/transaction.js'
import { found } from '../services/errors.js'
import { assertFresh } from '../services/etag.js'
import { fieldError } from '../services/field-errors.js'
import { createReads } from '../services/reads.js'
import type { OperatorStore } from './store.js'

export interface OperatorCollaborators {
  readonly store: OperatorStore
  readonly writes: Writes
  /** Called after each write that may have ended somebody's access. */
  readonly accessChanged: () => void
}

export function createOperatorService({ store, writes, accessChanged }: OperatorCollaborators): OperatorService {
  /** Somebody must be left who can let others in. */
  const assertAdminLeft = async (tx: Transaction, before: Operator, after: OperatorChange) => {
    const isAdmin = before.role === 'admin' && before.enabled
    if (!isAdmin || (after.role === 'admin' && after.enabled === true)) return
    if ((await store.countOtherAdmins(tx, before.id)) === 0)
      throw new RoostError('conflict', `'${before.name}' is the last administrator: make another one first.`)
  }
  return {
    ...createReads(store),
    create: (input, caller) =>
      writes.run(caller, async (tx) => {
        await store.lock(tx)
        if (await store.isTaken(tx, input.name))
          throw fieldError({ name: [`There is an operator '${input.name}' already.`] })
        const result = await store.insert(tx, input)
        return { result, audit: auditOf('create', result.id, {}, result) }
      }),
    async change(id, change, caller, options) {
      const changed = await writes.run(caller, async (tx) => {
        await store.lock(tx)
        const before = found(await store.findIn(tx, id))
        assertFresh(before, operatorRules, options?.ifMatch)
        await assertAdminLeft(tx, before, { role: before.role, enabled: before.enabled, ...change })
        const result = await store.update(tx, id, change)
        return { result, audit: auditOf('change', id, before, result) }
      })
      accessChanged()
      return changed
    },
    async remove(id, caller, options) {
      await writes.run(caller, async (tx) => {
        await store.lock(tx)
        const before = found(await store.findIn(tx, id))
        assertFresh(before, operatorRules, options?.ifMatch)
        await assertAdminLeft(tx, before, { enabled: false })
        await store.delete(tx, id)
        return { result: undefined, audit: auditOf('remove', id, before, {}) }
      })
      accessChanged()
    },
  }
}

function auditOf(action: string, resourceId: number, before: object, after: object) {
  return { action, resource: 'operators', resourceId, changes: differences(shown(before), shown(after)) }
}

/** Without what moves by itself. */
function shown(record: object): object {
  return { ...record, keys: undefined, last_used: undefined }
}
