import { maxViewBytes } from '@roost/api-types/rest'
import type { ViewInput } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { Caller, Services } from '@roost/api-types/rpc'
import { crudService } from '../database/crud-service.js'
import type { Transaction } from '../database/transaction.js'
import type { Writes } from '../database/writes.js'
import { fieldError } from '../services/field-errors.js'
import { bytesOf } from './store.js'
import type { ViewStore } from './store.js'

export interface ViewServiceOptions {
  readonly store: ViewStore
  readonly writes: Writes
}

/** No operator has this id: a caller that is not known has no views. */
const unknownOperator = 0

/** Creates the service of views. Each operator finds its own alone. */
export function createViewService({ store, writes }: ViewServiceOptions): Services['views'] {
  const viewsOf = ({ operatorId }: Pick<Caller, 'operatorId'> = { operatorId: unknownOperator }) => {
    const own = store.ofOperator(operatorId)
    const assertFits = async (tx: Transaction, view: ViewInput, id?: number) => {
      const { names, bytes } = await own.others(tx, id)
      if (names.includes(view.name)) throw fieldError({ name: [`You already have a view '${view.name}'.`] })
      if (bytes + bytesOf(view) <= maxViewBytes) return
      throw fieldError({
        address: [`Your views may have ${maxViewBytes / 1024} KiB together. Remove some of them first.`],
      })
    }
    return crudService(resources.views, {
      store: own,
      writes,
      checks: {
        create: (tx, view) => assertFits(tx, view),
        change: (tx, before, { name = before.name, address = before.address }) =>
          assertFits(tx, { name, address }, before.id),
      },
    })
  }
  return {
    list: (query, caller) => viewsOf(caller).list(query),
    get: (id, caller) => viewsOf(caller).get(id),
    getMany: (ids, caller) => viewsOf(caller).getMany(ids),
    create: (input, caller) => viewsOf(caller).create(input, caller),
    change: (id, change, caller, options) => viewsOf(caller).change(id, change, caller, options),
    remove: (id, caller, options) => viewsOf(caller).remove(id, caller, options),
  }
}
