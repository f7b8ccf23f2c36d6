import { ClusterIdentity, ClusterIdentityInput } from '@roost/api-types/rest'
import type { ClusterIdentityService } from '@roost/api-types/rpc'
import { z } from 'zod'
import { idempotentPost } from '../http/dialect/idempotency.js'
import type { Idempotency } from '../http/dialect/idempotency.js'
import type { Route } from '../http/dialect/route.js'
import { noIdentity } from './service.js'

/** The identity service of a cluster, as one record without its key. */
export function clusterIdentityRoutes(identity: ClusterIdentityService, idempotency: Idempotency): readonly Route[] {
  const shared = { path: 'clusters/:id/identity/', resource: 'clusters' } as const
  return [
    {
      ...shared,
      method: 'GET',
      status: 200,
      answer: ClusterIdentity,
      summary:
        'The Keystone that has the users of a cluster, and the login with which they are managed, without its key',
      async handle({ id }) {
        const found = await identity.get(id)
        if (found === null) throw noIdentity()
        return found
      },
    },
    idempotentPost(idempotency, {
      ...shared,
      status: 202,
      answer: ClusterIdentity,
      summary: 'Set or replace the identity service of a cluster. Refused unless its Keystone accepts the login',
      body: ClusterIdentityInput,
      requireRecord: (id) => identity.get(id),
      run: (id, input, caller) => identity.set(id, input, caller),
    }),
    {
      ...shared,
      method: 'DELETE',
      status: 204,
      answer: z.undefined(),
      summary: 'Remove the identity service of a cluster; Keystone stays as it is',
      refusals: [409],
      handle: ({ id, caller }) => identity.unset(id, caller),
    },
  ]
}
