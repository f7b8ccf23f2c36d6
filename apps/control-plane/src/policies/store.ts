import type { StoragePolicy } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { Database } from '../database/database.js'
import { tableStore } from '../database/table-store.js'
import type { ReadStore } from '../services/reads.js'

export function createStoragePolicyStore(database: Database): ReadStore<StoragePolicy> {
  return tableStore(database, resources.storagePolicies, { model: 'StoragePolicy' })
}
