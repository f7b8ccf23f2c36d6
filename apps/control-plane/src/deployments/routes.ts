import { Drift, DriftAction } from '@roost/api-types/rest'
import type { DriftService } from '@roost/api-types/rpc'
import { parseFields } from '../services/field-errors.js'
import type { Idempotency } from '../http/dialect/idempotency.js'
import type { Route } from '../http/dialect/route.js'
import { idempotencyKey } from '../http/dialect/schema-document.js'
import { objectBody } from '../http/guards/body.js'

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
    {
      ...shared,
      method: 'POST',
      status: 202,
      summary: 'Resolve drift: apply the same generation again, or adopt the changes that were made on the node',
      headers: idempotencyKey,
      body: DriftAction,
      requireRecord: (id) => drift.get(id),
      handle({ id, body, caller, headers }) {
        const [path, key] = [`/api/v1/nodes/${id}/drift/`, headers['idempotency-key']]
        return idempotency.once({ caller, path, key, body: objectBody(body), secrets: [] }, (caller) =>
          drift.resolve(id, parseFields(DriftAction, body), caller),
        )
      },
    },
  ]
}
