import { clusterRules, RoostError } from '@roost/api-types/rest'
import type { Cluster, ClusterInput } from '@roost/api-types/rest'
import type { ClusterService } from '@roost/api-types/rpc'
import { differences } from '../database/writes.js'
import type { Writes } from '../database/writes.js'
import { found } from '../services/errors.js'
import { assertFresh } from '../services/etag.js'
import { createReads } from '../services/reads.js'
import type { ClusterStore } from './store.js'

export interface ClusterCollaborators {
  readonly store: ClusterStore
  readonly writes: Writes
}

export function createClusterService({ store, writes }: ClusterCollaborators): ClusterService {
  return {
    ...createReads(store),
    create: (input, caller) =>
      writes.run(caller, async (tx) => {
        const result = orTaken(await store.insert(tx, input), input)
        return { result, audit: auditOf('create', result.id, {}, result) }
      }),
    change: (id, input, caller, options) =>
      writes.run(caller, async (tx) => {
        const before = found(await store.findForUpdate(tx, id))
        assertFresh(before, clusterRules, options?.ifMatch)
        const result = orTaken(await store.update(tx, id, input), input)
        return { result, audit: auditOf('change', id, before, result) }
      }),
    remove: (id, caller, options) =>
      writes.run(caller, async (tx) => {
        const before = found(await store.findForUpdate(tx, id))
        assertFresh(before, clusterRules, options?.ifMatch)
        const nodes = await store.countNodes(tx, id)
        if (nodes > 0)
          throw new RoostError('conflict', `The cluster '${before.name}' still has ${nodes} nodes: remove them first.`)
        const users = await store.countUsers(tx, id)
        if (users > 0)
          throw new RoostError('conflict', `The cluster '${before.name}' still has ${users} users: remove them first.`)
        await store.delete(tx, id)
        return { result: undefined, audit: auditOf('remove', id, before, {}) }
      }),
  }
}

function auditOf(action: string, resourceId: number, before: object, after: object) {
  return { action, resource: 'clusters', resourceId, changes: differences(before, after) }
}

function orTaken(cluster: Cluster | undefined, { name }: ClusterInput): Cluster {
  if (cluster !== undefined) return cluster
  const sentence = `There is a cluster '${name}' already.`
  throw new RoostError('invalid', sentence, { fields: { name: [sentence] } })
}
