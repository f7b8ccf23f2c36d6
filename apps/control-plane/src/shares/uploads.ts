import type { RequestKind, RequestParameters, RequestResult } from '@roost/api-types/agent'
import { idOfRelation, resourceUri, RoostError } from '@roost/api-types/rest'
import type { GatewayShare, ShareUploads } from '@roost/api-types/rest'
import type { ShareUploadsService } from '@roost/api-types/rpc'
import type { AgentRequests } from '../agents/requests.js'
import type { Writes } from '../database/writes.js'

export interface ShareUploadsOptions {
  /** Throws `not_found`. */
  readonly getShare: (id: number) => Promise<Pick<GatewayShare, 'node'>>
  readonly requests: Pick<AgentRequests, 'ask'>
  readonly writes: Writes
}

/** The agent answers from memory. */
const answerMs = 5_000
/** It begins no removal after 20 s. */
const removalMs = 45_000
const retryAfterSeconds = 15

/** Asks a share's gateway for what is not in Swift, and to remove what renames left there. */
export function createShareUploads({ getShare, requests, writes }: ShareUploadsOptions): ShareUploadsService {
  async function ask<K extends RequestKind>(
    node: string,
    kind: K,
    parameters: RequestParameters<K>,
    deadlineMs: number,
  ): Promise<RequestResult<K>> {
    const answer = await requests.ask(idOfRelation('nodes', node) ?? 0, kind, parameters, deadlineMs)
    if ('error' in answer) throw new RoostError('unavailable', answer.error, { retryAfterSeconds })
    return answer.result
  }

  return {
    async get(share): Promise<ShareUploads> {
      const { node } = await getShare(share)
      const { oldest, leftovers, ...counts } = await ask(node, 'share_uploads', { share }, answerMs)
      return {
        share: resourceUri('gateway_shares', share),
        node,
        ...counts,
        oldest: oldest.map(({ path, bytes, changed }) => ({ path, bytes, changed: isoTime(changed) })),
        leftovers: leftovers.map(({ since, ...leftover }) => ({ ...leftover, since: isoTime(since) })),
      }
    },
    async removeLeftovers(share, { remove_leftovers: wanted }, caller) {
      const { node } = await getShare(share)
      const event = { action: 'remove_leftovers', resource: 'gateway_shares', resourceId: share } as const
      const names = wanted === true ? null : wanted
      if (caller.validateOnly === true) {
        // Only the gateway knows what it would keep, when it removes: a check shows that the gateway answers.
        await ask(node, 'share_uploads', { share }, answerMs)
        return { share: resourceUri('gateway_shares', share), node, removed: [], kept: [] }
      }
      try {
        const answer = await ask(node, 'remove_leftovers', { share, names }, removalMs)
        const result = { share: resourceUri('gateway_shares', share), node, ...answer }
        const changes = { leftovers: [answer.removed, []] }
        return await writes.run(caller, async () => ({ result, audit: { ...event, changes } }))
      } catch (error) {
        // The node may have removed some of them.
        if (error instanceof RoostError) {
          const { idempotency: _key, ...unkept } = caller
          const changes = { leftovers: [wanted, error.message] }
          await writes.run(unkept, async () => ({ result: undefined, audit: { ...event, changes } }))
        }
        throw error
      }
    },
  }
}

function isoTime(seconds: number): string {
  return new Date(seconds * 1_000).toISOString()
}
