import { LRUCache } from 'lru-cache'
import type { AgentRequests } from '../agents/requests.js'
import type { LockedJob } from './job-store.js'
import type { StateStore } from './state-store.js'

export interface TokenEnding {
  /** What the job's message says about it; undefined until every node was asked. */
  notesOf(job: LockedJob): readonly string[] | undefined
  /** Asks every node that has the job's users; false: this is under way already. Never rejects. */
  ask(job: LockedJob): Promise<boolean>
  forget(jobId: number): void
}

const maxAsked = 1000
/** Two passes of a minute for each memcached, at the same time. */
const deadlineMs = 150_000

/**
 * Ends the tokens of changed users once more, after the last proxy has them: until then another proxy could still hand one
 * out. Kept in memory only, since asking again after a restart does no harm.
 */
export function createTokenEnding(requests: AgentRequests, store: Pick<StateStore, 'ofNode'>): TokenEnding {
  const asking = new Set<number>()
  /** Bounded, because jobs that were canceled are not removed. */
  const asked = new LRUCache<number, readonly string[]>({ max: maxAsked })

  const askNode = async (nodeId: number): Promise<readonly string[]> => {
    const state = (await store.ofNode(nodeId)).find(({ kind }) => kind === 'user_db')
    const answer = await requests.ask(nodeId, 'end_tokens', { generation: state?.inForce ?? 0 }, deadlineMs)
    if ('result' in answer) return answer.result.notes
    return [`Tokens of changed users may stay valid until they expire: ${answer.error}`]
  }
  return {
    notesOf: (job) => (appliedTo(job).length === 0 ? [] : asked.get(job.id)),
    async ask(job) {
      if (asking.has(job.id)) return false
      asking.add(job.id)
      const notes = await Promise.all(
        appliedTo(job).map((nodeId) =>
          askNode(nodeId).catch((error: unknown) => [
            `Tokens of changed users may stay valid until they expire: ${(error as Error).message}`,
          ]),
        ),
      )
      asked.set(job.id, [...new Set(notes.flat())])
      asking.delete(job.id)
      return true
    },
    forget: (jobId) => void asked.delete(jobId),
  }
}

function appliedTo({ kind, now }: LockedJob): readonly number[] {
  if (kind !== 'user_db' || now.dryRun) return []
  return now.targets.filter(({ state }) => state === 'applied').map(({ nodeId }) => nodeId)
}
