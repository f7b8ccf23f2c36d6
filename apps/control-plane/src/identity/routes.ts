import { ClusterIdentity, ClusterIdentityInput } from '@roost/api-types/rest'
import type { ClusterIdentityService } from '@roost/api-types/rpc'
import { z } from 'zod'
import type { Idempotency } from '../http/dialect/idempotency.js'
import type { Route } from '../http/dialect/route.js'
import { idempotencyKey } from '../http/dialect/schema-document.js'
import { objectBody } from '../http/guards/body.js'
import { parseFields } from '../services/field-errors.js'
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
    {
      ...shared,
      method: 'POST',
      status: 202,
      answer: ClusterIdentity,
      summary: 'Set or replace the identity service of a cluster. Refused unless its Keystone accepts the login',
      headers: idempotencyKey,
      body: ClusterIdentityInput,
      requireRecord: (id) => identity.get(id),
      handle({ id, body, caller, headers }) {
        const [path, key] = [`/api/v1/clusters/${id}/identity/`, headers['idempotency-key']]
        return idempotency.once({ caller, path, key, body: objectBody(body), secrets: [] }, (once) =>
          identity.set(id, parseFields(ClusterIdentityInput, body), once),
        )
      },
    },
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
