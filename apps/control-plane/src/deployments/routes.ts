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
      summary: 'Files and live exports of a node that are not as the generation in force made them',
      handle: ({ id }) => drift.get(id),
    },
    {
      ...shared,
      method: 'POST',
      status: 202,
      summary: 'Put back what was applied, or adopt what is there',
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
