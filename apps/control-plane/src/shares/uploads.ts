import { idOfRelation, resourceUri, RoostError } from '@roost/api-types/rest'
import type { GatewayShare, ShareUploads } from '@roost/api-types/rest'
import type { ShareUploadsService } from '@roost/api-types/rpc'
import type { AgentRequests } from '../agents/requests.js'

export interface ShareUploadsCollaborators {
  /** Throws `not_found`. */
  readonly getShare: (id: number) => Promise<Pick<GatewayShare, 'node'>>
  readonly requests: Pick<AgentRequests, 'ask'>
}

/** The agent answers from memory. */
const answerMs = 5_000
const retryAfterSeconds = 15

/** Asks a share's gateway for what is not in Swift. */
export function createShareUploads({ getShare, requests }: ShareUploadsCollaborators): ShareUploadsService {
  return {
    async get(share): Promise<ShareUploads> {
      const { node } = await getShare(share)
      const answer = await requests.ask(idOfRelation('nodes', node) ?? 0, 'share_uploads', { share }, answerMs)
      if ('error' in answer) throw new RoostError('unavailable', answer.error, { retryAfterSeconds })
      const { oldest, ...counts } = answer.result
      return {
        share: resourceUri('gateway_shares', share),
        node,
        ...counts,
        oldest: oldest.map(({ path, bytes, changed }) => ({
          path,
          bytes,
          changed: new Date(changed * 1_000).toISOString(),
        })),
      }
    },
  }
}
