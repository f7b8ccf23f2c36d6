import type { DesiredShare, DesiredState, LostSession } from '@roost/api-types/agent'
import { idOfRelation, resourceUri, shareNameKey } from '@roost/api-types/rest'
import type { GatewayShare, ShareSessions } from '@roost/api-types/rest'
import type { ShareSessionsService } from '@roost/api-types/rpc'
import type { Clock } from '@roost/runtime'
import type { PlanQueue } from './plan-queue.js'
import { orUnavailable, within } from './plan-wait.js'

export interface ShareSessionsOptions {
  /** Throws `not_found`. */
  readonly getShare: (id: number) => Promise<Pick<GatewayShare, 'node'>>
  /** What a gateway has in force, null before its first generation, or why that is not known. */
  readonly inForce: (nodeId: number) => Promise<{ readonly payload: string } | { readonly error: string } | null>
  readonly plans: PlanQueue
  readonly clock: Pick<Clock, 'after'>
}

/** All who ask for the sessions of a share meanwhile get the same answer. */
interface Running {
  readonly answer: Promise<ShareSessions>
  callers: number
}

const sambaDaemon = 'smbd'

/** Asks the gateway of a share for a plan without the share: the sessions that it would end are those of the share. */
export function createShareSessions(options: ShareSessionsOptions): ShareSessionsService {
  const { clock, plans } = options
  const running = new Map<number, Running>()

  function start(id: number): Running {
    const isAwaited = () => (running.get(id)?.callers ?? 0) > 0
    const answer = read(options, id, (nodeId, desired) => plans.ask(nodeId, desired, isAwaited))
    const started = { answer: answer.finally(() => running.delete(id)), callers: 0 }
    running.set(id, started)
    return started
  }

  return {
    async get(id) {
      const asked = running.get(id) ?? start(id)
      asked.callers += 1
      try {
        return await within(clock, asked.answer)
      } finally {
        asked.callers -= 1
      }
    },
  }
}

async function read(
  { getShare, inForce }: ShareSessionsOptions,
  id: number,
  askForPlan: (nodeId: number, desired: DesiredState) => ReturnType<PlanQueue['ask']>,
): Promise<ShareSessions> {
  const { node } = await getShare(id)
  const nodeId = idOfRelation('nodes', node) ?? 0
  const answer = { share: resourceUri('gateway_shares', id), node }
  const stored = await inForce(nodeId)
  const state = stored === null ? null : (JSON.parse(orUnavailable(stored).payload) as DesiredState)
  const share = sharesOf(state).find((each) => each.id === id)
  if (state === null || share === undefined) return { ...answer, is_in_force: false, sessions: [] }
  const without = { ...state, shares: sharesOf(state).filter((each) => each !== share) }
  const planned = orUnavailable(await askForPlan(nodeId, without))
  const sessions = planned.result.daemons
    .filter(({ daemon }) => (daemon === sambaDaemon) === (share.protocol === 'cifs'))
    .flatMap(({ sessions_lost: lost }) => lost.filter((session) => isOf(session, share)))
  return { ...answer, is_in_force: true, sessions: sessions.map(({ client, user }) => ({ client, user })) }
}

function sharesOf(state: DesiredState | null): readonly DesiredShare[] {
  return state?.kind === 'gateway' ? state.shares : []
}

/** Where files of the gateway were changed by hand, its plan may end sessions of other shares, too. */
function isOf(session: LostSession, { protocol, name }: DesiredShare): boolean {
  return shareNameKey(protocol, session.share) === shareNameKey(protocol, name)
}
