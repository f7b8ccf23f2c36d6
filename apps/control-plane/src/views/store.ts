import { resources } from '@roost/api-types/rpc'
import type { ListQuery } from '@roost/api-types/rpc'
import type { View, ViewChange, ViewInput } from '@roost/api-types/rest'
import type { Database } from '../database/database.js'
import { tableStore } from '../database/table-store.js'
import type { Transaction } from '../database/transaction.js'

export type ViewStore = ReturnType<typeof createViewStore>

export function createViewStore(database: Database) {
  const table = tableStore(database, resources.views, { model: 'View', columns: { operator: 'operatorId' } })
  return {
    /** The views of one operator: to this store there are no others. */
    ofOperator(operatorId: number) {
      const isOwn = (view: View) => view.operator === operatorId
      const own = (view: View | undefined) => (view !== undefined && isOwn(view) ? view : undefined)
      return {
        list: (query: ListQuery) =>
          table.list({ ...query, filters: [...query.filters, { field: 'operator', values: [operatorId] }] }),
        find: async (id: number) => own(await table.find(id)),
        findMany: async (ids: readonly number[]) => (await table.findMany(ids)).filter(isOwn),
        findForUpdate: async (tx: Transaction, id: number) => own(await table.findForUpdate(tx, id)),
        insert(tx: Transaction, input: ViewInput) {
          const owned = { ...input, operator: operatorId }
          return table.insert(tx, owned)
        },
        update: (tx: Transaction, id: number, change: ViewChange) => table.update(tx, id, change),
        delete: (tx: Transaction, id: number) => table.delete(tx, id),
        /** Of the names and addresses of all but one. Keeps others from writing views of the operator until the transaction ends. */
        async others(
          tx: Transaction,
          exceptId = 0,
        ): Promise<{ readonly names: readonly string[]; readonly bytes: number }> {
          await tx.$queryRaw`select id from operators where id = ${operatorId} for update`
          const views = await tx.view.findMany({ where: { operatorId, id: { not: exceptId } } })
          return {
            names: views.map(({ name }) => name),
            bytes: views.reduce((sum, view) => sum + bytesOf(view), 0),
          }
        },
      }
    },
  }
}

export function bytesOf({ name, address }: ViewInput): number {
  return Buffer.byteLength(name) + Buffer.byteLength(address)
}
