import { resources } from '@roost/api-types/rpc'
import type { Database } from '../database/database.js'
import { tableStore } from '../database/table-store.js'
import type { Transaction } from '../database/transaction.js'

export type ClusterStore = ReturnType<typeof createClusterStore>

export function createClusterStore(database: Database) {
  return {
    ...tableStore(database, resources.clusters, { model: 'Cluster' }),
    countNodes: async (tx: Transaction, id: number): Promise<number> => tx.node.count({ where: { clusterId: id } }),
    countUsers: async (tx: Transaction, id: number): Promise<number> => tx.user.count({ where: { clusterId: id } }),
  }
}
