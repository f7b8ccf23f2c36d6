import { resourceUri } from '@roost/api-types/rest'
import type { ErasureCode, StoragePolicy } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { Prisma } from '@roost/database'
import type { Database } from '../database/database.js'
import { tableStore } from '../database/table-store.js'
import type { ReadStore } from '../services/reads.js'
import { usableBytes } from './usable.js'

/** Returns the raw bytes of the devices of a policy, as they are in memory. */
export type RawOf = (clusterId: number, policyIndex: number) => number

export function createStoragePolicyStore(database: Database, rawOf: RawOf): ReadStore<StoragePolicy> {
  return tableStore(database, resources.storagePolicies, {
    model: 'StoragePolicy',
    recordOf: (row) => recordOf(row, rawOf(row.clusterId, row.index)),
  })
}

function recordOf(row: Prisma.StoragePolicyGetPayload<object>, rawBytes: number): StoragePolicy {
  const { id, clusterId, index, name, isDefault, isDeprecated, type, replicas } = row
  const ec = type === 'erasure_coding' ? (row.ec as ErasureCode | null) : null
  return {
    id,
    resource_uri: resourceUri('storage_policies', id),
    cluster: resourceUri('clusters', clusterId),
    index,
    name,
    is_default: isDefault,
    is_deprecated: isDeprecated,
    type,
    replicas,
    ec,
    raw_bytes: rawBytes,
    usable_bytes: usableBytes(rawBytes, { type, replicas, ec }),
  }
}
