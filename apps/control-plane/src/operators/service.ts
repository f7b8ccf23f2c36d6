import { RoostError } from '@roost/api-types/rest'
import type { Operator, OperatorChange } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { Services } from '@roost/api-types/rpc'
import { crudService } from '../database/crud-service.js'
import type { Transaction } from '../database/transaction.js'
import type { Writes } from '../database/writes.js'
import { fieldError } from '../services/field-errors.js'
import type { OperatorStore } from './store.js'

export interface OperatorServiceOptions {
  readonly store: OperatorStore
  readonly writes: Writes
  /** Called after each write that may have ended the access of an operator. */
  readonly accessChanged: () => void
}

/** The last enabled administrator cannot be disabled, demoted or removed. */
export function createOperatorService(options: OperatorServiceOptions): Services['operators'] {
  const { store, writes, accessChanged } = options
  const assertAdminLeft = async (tx: Transaction, before: Operator, after: OperatorChange) => {
    const isAdmin = before.role === 'admin' && before.enabled
    if (!isAdmin || (after.role === 'admin' && after.enabled === true)) return
    if ((await store.countOtherAdmins(tx, before.id)) === 0)
      throw new RoostError('conflict', `'${before.name}' is the last administrator: create another one first.`)
  }
  const service = crudService(resources.operators, {
    store,
    writes,
    checks: {
      async create(tx, { name }) {
        if (await store.isInUse(tx, { name })) throw fieldError({ name: [`An operator '${name}' already exists.`] })
      },
      change: (tx, before, change) =>
        assertAdminLeft(tx, before, { role: before.role, enabled: before.enabled, ...change }),
      remove: (tx, before) => assertAdminLeft(tx, before, { enabled: false }),
    },
  })
  return {
    ...service,
    async change(...input) {
      const changed = await service.change(...input)
      accessChanged()
      return changed
    },
    async remove(...input) {
      await service.remove(...input)
      accessChanged()
    },
  }
}
