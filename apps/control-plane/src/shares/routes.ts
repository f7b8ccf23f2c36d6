import { LeftoverRemoval, RemovedLeftovers, ShareSessions, ShareUploads } from '@roost/api-types/rest'
import type { ShareSessionsService, ShareUploadsService } from '@roost/api-types/rpc'
import { idempotentPost } from '../http/dialect/idempotency.js'
import type { Idempotency } from '../http/dialect/idempotency.js'
import type { Route } from '../http/dialect/route.js'

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
    idempotentPost(idempotency, {
      ...shared,
      summary: 'Remove objects that renames left behind in Swift',
      body: LeftoverRemoval,
      answer: RemovedLeftovers,
      requireRecord: getShare,
      run: (id, removal, caller) => uploads.removeLeftovers(id, removal, caller),
    }),
  ]
}

export function shareSessionsRoutes(sessions: ShareSessionsService): readonly Route[] {
  return [
    {
      method: 'GET',
      path: 'gateway_shares/:id/sessions/',
      resource: 'gateway_shares',
      status: 200,
      summary: 'Clients that would lose a share if it were removed, as reported by its gateway',
      answer: ShareSessions,
      refusals: [503],
      handle: ({ id }) => sessions.get(id),
    },
  ]
}
