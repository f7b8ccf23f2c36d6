import { RoostError } from '@roost/api-types/rest'
import type { ClusterStorageService } from '@roost/api-types/rpc'
import { differences } from '../database/writes.js'
import type { Writes } from '../database/writes.js'
import { found } from '../services/errors.js'
import type { Secrets } from '../secrets/secrets.js'
import type { ClusterStorageStore } from './storage-store.js'

export interface ClusterStorageOptions {
  readonly store: ClusterStorageStore
  readonly writes: Writes
  readonly secrets: Secrets
}

/** With what the gateways of each cluster mount its containers. */
export function createClusterStorageService({ store, writes, secrets }: ClusterStorageOptions): ClusterStorageService {
  return {
    get: async (clusterId) => found(await store.find(clusterId)).login,
    set: (clusterId, { auth_url, user, key }, caller) =>
      writes.run(caller, async (tx) => {
        const before = found(await store.findForUpdate(tx, clusterId)).login
        const result = await store.upsert(tx, clusterId, { auth_url, user, key: secrets.seal('storage-key', key) })
        const changes = differences({ ...before }, { ...result, key }, ['key'])
        return { result, audit: { action: 'set_storage', resource: 'clusters', resourceId: clusterId, changes } }
      }),
    unset: (clusterId, caller, { force = false } = {}) =>
      writes.run(caller, async (tx) => {
        const before = found(await store.findForUpdate(tx, clusterId)).login
        if (before === null) throw new RoostError('not_found', 'This cluster has no storage login.')
        const shares = force ? 0 : await store.countShares(tx, clusterId)
        if (shares > 0) throw new RoostError('conflict', stillNeeded(shares))
        await store.delete(tx, clusterId)
        const changes = differences({ ...before, key: '' }, {}, ['key'])
        return {
          result: undefined,
          audit: { action: 'unset_storage', resource: 'clusters', resourceId: clusterId, changes },
        }
      }),
  }
}

function stillNeeded(shares: number): string {
  const what = shares === 1 ? '1 enabled share is' : `${shares} enabled shares are`
  return `${what} mounted with this login. Disable or remove every such share first, or use force.`
}
