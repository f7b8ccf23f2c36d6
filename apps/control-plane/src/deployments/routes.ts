import { Drift, DriftAction } from '@roost/api-types/rest'
import type { DriftService } from '@roost/api-types/rpc'
import { idempotentPost } from '../http/dialect/idempotency.js'
import type { Idempotency } from '../http/dialect/idempotency.js'
import type { Route } from '../http/dialect/route.js'

/** The drift of a node. */
export function driftRoutes(drift: DriftService, idempotency: Idempotency): readonly Route[] {
  const shared = { path: 'nodes/:id/drift/', resource: 'nodes', answer: Drift } as const
  return [
    {
      ...shared,
      method: 'GET',
      status: 200,
      summary: 'Differences between the files and live exports of a node and the generation that it has applied',
      handle: ({ id }) => drift.get(id),
    },
    idempotentPost(idempotency, {
      ...shared,
      status: 202,
      summary: 'Resolve drift: apply the same generation again, or adopt the changes that were made on the node',
      body: DriftAction,
      requireRecord: (id) => drift.get(id),
      run: (id, action, caller) => drift.resolve(id, action, caller),
    }),
  ]
}
