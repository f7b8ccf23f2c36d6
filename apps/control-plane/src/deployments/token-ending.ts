import type { DesiredState } from '@roost/api-types/agent'
import type { Transaction } from '../database/transaction.js'
import { SecretError } from '../secrets/secrets.js'
import type { Secrets } from '../secrets/secrets.js'
import type { Payloads } from './payload.js'
import { LRUCache } from 'lru-cache'
import type { AgentRequests } from '../agents/requests.js'
import type { TargetNow } from './decide.js'
import type { LockedJob } from './job-store.js'
import type { StateStore } from './state-store.js'

export interface TokenEnding {
  /** Where tokens may remain, each with a sentence; undefined until every node was asked. */
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

  const askNode = async ({ nodeId, state: target }: TargetNow): Promise<readonly string[]> => {
    const state = (await store.ofNode(nodeId)).find(({ kind }) => kind === 'user_db')
    if (target !== 'applied' && state?.outcome !== 'partly') return []
    const answer = await requests.ask(nodeId, 'end_tokens', { generation: state?.inForce ?? 0 }, deadlineMs)
    if ('result' in answer) return answer.result.notes
    return [`Tokens of changed users may stay valid until they expire: ${answer.error}`]
  }
  return {
    notesOf: (job) => (mayHaveUsers(job).length === 0 ? [] : asked.get(job.id)),
    async ask(job) {
      if (asking.has(job.id)) return false
      asking.add(job.id)
      const notes = await Promise.all(
        mayHaveUsers(job).map((target) =>
          askNode(target).catch((error: unknown) => [
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

/** Returns the nodes that may have the users, also those that could not reach all of their memcached servers. */
function mayHaveUsers({ kind, now }: LockedJob): readonly TargetNow[] {
  if (kind !== 'user_db' || now.dryRun) return []
  return now.targets.filter(({ state, begun, answered }) => state === 'applied' || (begun && !answered))
}

export interface RevocationOptions {
  readonly store: Pick<StateStore, 'ofNode' | 'findPayload'>
  readonly payloads: Payloads
  readonly secrets: Pick<Secrets, 'open'>
}

/** Returns the nodes of targets that never wait for another node: the job takes rights from users that they let in. */
export async function urgentTargets(
  options: RevocationOptions,
  tx: Transaction,
  job: LockedJob,
  nodeIds: readonly number[],
): Promise<readonly number[]> {
  const urgent: number[] = []
  for (const nodeId of nodeIds) if (await revokesRights(options, tx, job, nodeId)) urgent.push(nodeId)
  return urgent
}

/** Returns true if the job takes rights from a user that the node lets in. */
async function revokesRights(
  { store, payloads, secrets }: RevocationOptions,
  tx: Transaction,
  { kind, returnTo }: LockedJob,
  nodeId: number,
): Promise<boolean> {
  const state = (await store.ofNode(nodeId, tx)).find((one) => one.kind === kind)
  if (kind !== 'user_db') return false
  const wanted = await payloads.read(tx, kind, nodeId, returnTo)
  if ('error' in wanted) return false
  const next = usersOf(() => wanted.payload)
  if (state === undefined || state.inForce === 0) return next === undefined || next.ofOperator.length > 0
  const stored = await store.findPayload(tx, nodeId, kind, state.inForce)
  const before = stored === undefined ? undefined : usersOf(() => secrets.open('desired-state', stored))
  // Users that cannot be compared may be any.
  if (before === undefined || next === undefined) return true
  return (
    [...before.users].some((user) => !next.users.has(user)) ||
    next.ofOperator.some((user) => !before.ofOperator.includes(user))
  )
}

interface ComparedUsers {
  readonly users: ReadonlySet<string>
  /** Those that the operator's own configuration lets in, perhaps with other rights. */
  readonly ofOperator: readonly string[]
}

/** Returns each user as JSON; undefined if the payload cannot be decrypted. */
function usersOf(read: () => string): ComparedUsers | undefined {
  try {
    const desired = JSON.parse(read()) as DesiredState
    if (desired.kind !== 'user_db') return { users: new Set(), ofOperator: [] }
    const adopted = desired.users.filter((user) => user.adopted !== undefined).map((user) => JSON.stringify(user))
    return {
      users: new Set(desired.users.map((user) => JSON.stringify(user))),
      ofOperator: [...adopted, ...(desired.blocked ?? [])],
    }
  } catch (error) {
    if (error instanceof SecretError) return undefined
    throw error
  }
}
