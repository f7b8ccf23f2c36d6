import { ClusterStorage, ClusterStorageInput } from '@roost/api-types/rest'
import type { ClusterStorageService } from '@roost/api-types/rpc'
import { z } from 'zod'
import { idempotentPost } from '../http/dialect/idempotency.js'
import type { Idempotency } from '../http/dialect/idempotency.js'
import type { Route } from '../http/dialect/route.js'
import { noStorageLogin } from './storage.js'

/** The storage login of a cluster, as one record without a key. */
export function clusterStorageRoutes(storage: ClusterStorageService, idempotency: Idempotency): readonly Route[] {
  const shared = { path: 'clusters/:id/storage/', resource: 'clusters' } as const
  return [
    {
      ...shared,
      method: 'GET',
      status: 200,
      answer: ClusterStorage,
      summary: 'The login with which the gateways of a cluster mount its containers, without its key',
      async handle({ id }) {
        const login = await storage.get(id)
        if (login === null) throw noStorageLogin()
        return login
      },
    },
    idempotentPost(idempotency, {
      ...shared,
      status: 202,
      answer: ClusterStorage,
      summary: 'Set or replace the storage login of a cluster; gateways use it from their next deployment',
      body: ClusterStorageInput,
      requireRecord: (id) => storage.get(id),
      run: (id, input, caller) => storage.set(id, input, caller),
    }),
    {
      ...shared,
      method: 'DELETE',
      status: 204,
      answer: z.null(),
      summary: 'Remove the storage login of a cluster. Refused while enabled shares use it',
      refusals: [409],
      async handle({ id, caller }) {
        await storage.unset(id, caller)
        return null
      },
    },
  ]
}
