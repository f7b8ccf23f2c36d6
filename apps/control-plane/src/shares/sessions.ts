import type { DesiredShare, DesiredState, LostSession } from '@roost/api-types/agent'
import { idOfRelation, resourceUri, RoostError, shareNameKey } from '@roost/api-types/rest'
import type { GatewayShare, ShareSessions } from '@roost/api-types/rest'
import type { ShareSessionsService } from '@roost/api-types/rpc'
import type { AgentRequests } from '../agents/requests.js'

export interface ShareSessionsOptions {
  /** Throws `not_found`. */
  readonly getShare: (id: number) => Promise<Pick<GatewayShare, 'node'>>
  /** What a gateway has in force, null before its first generation, or why that is not known. */
  readonly inForce: (nodeId: number) => Promise<{ readonly payload: string } | { readonly error: string } | null>
  readonly requests: Pick<AgentRequests, 'askForPlan'>
}

const planTimeoutMs = 30_000
const retryAfterSeconds = 15
const sambaDaemon = 'smbd'

/** Asks the gateway of a share for a plan without the share: the sessions that it would end are those of the share. */
export function createShareSessions(options: ShareSessionsOptions): ShareSessionsService {
  const running = new Map<number, Promise<ShareSessions>>()
  return {
    async get(id) {
      // A plan costs the gateway a second: all who ask meanwhile get the same answer.
      const known = running.get(id)
      if (known !== undefined) return known
      const asked = read(options, id).finally(() => running.delete(id))
      running.set(id, asked)
      return asked
    },
  }
}

async function read({ getShare, inForce, requests }: ShareSessionsOptions, id: number): Promise<ShareSessions> {
  const { node } = await getShare(id)
  const nodeId = idOfRelation('nodes', node) ?? 0
  const answer = { share: resourceUri('gateway_shares', id), node }
  const stored = await inForce(nodeId)
  const state = stored === null ? null : (JSON.parse(orUnavailable(stored).payload) as DesiredState)
  const share = sharesOf(state).find((each) => each.id === id)
  if (state === null || share === undefined) return { ...answer, is_in_force: false, sessions: [] }
  const without = { ...state, shares: sharesOf(state).filter((each) => each !== share) }
  const planned = orUnavailable(await requests.askForPlan(nodeId, without, planTimeoutMs))
  const sessions = planned.result.daemons
    .filter(({ daemon }) => (daemon === sambaDaemon) === (share.protocol === 'cifs'))
    .flatMap(({ sessions_lost: lost }) => lost.filter((session) => isOf(session, share)))
  return { ...answer, is_in_force: true, sessions: sessions.map(({ client, user }) => ({ client, user })) }
}

function sharesOf(state: DesiredState | null): readonly DesiredShare[] {
  return state?.kind === 'gateway' ? state.shares : []
}

function orUnavailable<T extends object>(answer: T | { readonly error: string }): T {
  if ('error' in answer) throw new RoostError('unavailable', answer.error, { retryAfterSeconds })
  return answer
}

/** Where files of the gateway were changed by hand, its plan may end sessions of other shares, too. */
function isOf(session: LostSession, { protocol, name }: DesiredShare): boolean {
  return shareNameKey(protocol, session.share) === shareNameKey(protocol, name)
}
