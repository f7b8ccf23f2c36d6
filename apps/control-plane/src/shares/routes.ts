import { LeftoverRemoval, RemovedLeftovers, ShareUploads } from '@roost/api-types/rest'
import type { ShareUploadsService } from '@roost/api-types/rpc'
import { parseFields } from '../services/field-errors.js'
import type { Idempotency } from '../http/dialect/idempotency.js'
import type { Route } from '../http/dialect/route.js'
import { idempotencyKey } from '../http/dialect/schema-document.js'
import { objectBody } from '../http/guards/body.js'

export function shareUploadsRoutes(
  uploads: ShareUploadsService,
  getShare: (id: number) => Promise<unknown>,
  idempotency: Idempotency,
): readonly Route[] {
  const shared = { path: 'gateway_shares/:id/uploads/', resource: 'gateway_shares', status: 200 } as const
  return [
    {
      ...shared,
      method: 'GET',
      summary:
        'Files that clients have written to a share and that are not in Swift, as reported by the gateway of the share',
      answer: ShareUploads,
      refusals: [503],
      handle: ({ id }) => uploads.get(id),
    },
    {
      ...shared,
      method: 'POST',
      summary: 'Remove objects that renames left behind in Swift',
      headers: idempotencyKey,
      body: LeftoverRemoval,
      answer: RemovedLeftovers,
      requireRecord: getShare,
      handle({ id, body, caller, headers }) {
        const [path, key] = [`/api/v1/gateway_shares/${id}/uploads/`, headers['idempotency-key']]
        return idempotency.once({ caller, path, key, body: objectBody(body), secrets: [] }, (caller) =>
          uploads.removeLeftovers(id, parseFields(LeftoverRemoval, body), caller),
        )
      },
    },
  ]
}
