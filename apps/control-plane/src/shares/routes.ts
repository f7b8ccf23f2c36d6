import {
  GatewayShareChange,
  GatewayShareInput,
  LeftoverRemoval,
  RemovedLeftovers,
  SharePreview,
  ShareSessions,
  ShareUploads,
} from '@roost/api-types/rest'
import type { SharePreviewService, ShareSessionsService, ShareUploadsService } from '@roost/api-types/rpc'
import { idempotentPost } from '../http/dialect/idempotency.js'
import type { Idempotency } from '../http/dialect/idempotency.js'
import type { Route } from '../http/dialect/route.js'
import { objectBody } from '../http/guards/body.js'
import { parseFields } from '../services/field-errors.js'
import type { FastifyReply } from 'fastify'

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

/** What a gateway would have with a share. Nothing is stored, so that a repetition needs no key. */
export function sharePreviewRoutes(
  previews: SharePreviewService,
  getShare: (id: number) => Promise<unknown>,
): readonly Route[] {
  const shared = {
    method: 'POST',
    resource: 'gateway_shares',
    status: 200,
    answer: SharePreview,
    refusals: [503],
  } as const
  return [
    {
      ...shared,
      path: 'gateway_shares/preview/',
      summary: 'What its gateway would have with a new share: files, servers and sessions. Nothing is stored',
      body: GatewayShareInput,
      handle: ({ body, caller }, reply) =>
        previews.ofNew(parseFields(GatewayShareInput, objectBody(body)), caller, endOf(reply)),
    },
    {
      ...shared,
      path: 'gateway_shares/:id/preview/',
      summary: 'What its gateway would have with a change of a share. Nothing is stored',
      body: GatewayShareChange,
      requireRecord: getShare,
      handle: ({ id, body, caller }, reply) =>
        previews.ofChange(id, parseFields(GatewayShareChange, objectBody(body)), caller, endOf(reply)),
    },
  ]
}

/** Aborts when the client ends its connection, and after its answer. */
function endOf(reply: FastifyReply): AbortSignal {
  const aborted = new AbortController()
  reply.raw.on('close', () => aborted.abort())
  return aborted.signal
}
