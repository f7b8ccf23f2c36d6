import { ShareUploads } from '@roost/api-types/rest'
import type { ShareUploadsService } from '@roost/api-types/rpc'
import type { Route } from '../http/route.js'

export function shareUploadsRoutes(uploads: ShareUploadsService): readonly Route[] {
  return [
    {
      method: 'GET',
      path: 'gateway_shares/:id/uploads/',
      resource: 'gateway_shares',
      summary: 'Files that clients have written to a share and that are not in Swift, asked of its gateway',
      status: 200,
      answer: ShareUploads,
      refusals: [503],
      handle: ({ id }) => uploads.get(id),
    },
  ]
}
