import { RoostError } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { Services } from '@roost/api-types/rpc'
import { counted } from '@roost/runtime'
import { crudService } from '../database/crud-service.js'
import type { Writes } from '../database/writes.js'
import type { ClusterStore } from './store.js'

export interface ClusterServiceOptions {
  readonly store: ClusterStore
  readonly writes: Writes
}

/** A cluster with nodes or users cannot be removed. */
export function createClusterService({ store, writes }: ClusterServiceOptions): Services['clusters'] {
  return crudService(resources.clusters, {
    store,
    writes,
    checks: {
      async create(tx, { name }) {
        if (await store.isInUse(tx, { name })) throw nameInUse(name)
      },
      async change(tx, { id }, { name }) {
        if (await store.isInUse(tx, { name }, id)) throw nameInUse(name)
      },
      async remove(tx, { id, name }) {
        const nodes = await store.countNodes(tx, id)
        if (nodes > 0)
          throw new RoostError(
            'conflict',
            `The cluster '${name}' still has ${counted(nodes, 'node')}. Remove its nodes first.`,
          )
        const users = await store.countUsers(tx, id)
        if (users > 0)
          throw new RoostError(
            'conflict',
            `The cluster '${name}' still has ${counted(users, 'user')}. Remove its users first.`,
          )
      },
    },
  })
}

function nameInUse(name: string): RoostError {
  const sentence = `A cluster '${name}' already exists.`
  return new RoostError('invalid', sentence, { fields: { name: [sentence] } })
}
