import { createHash } from 'node:crypto'
import { CheckLoop } from '@roost/runtime'
import type { Clock } from '@roost/runtime'
import type { Log } from '../lifecycle/log.js'
import { logFailure } from '../services/errors.js'
import { applyIdentity } from './apply.js'
import type { IdentityJob, IdentityJobStore, JobEnd } from './job-store.js'
import type { EndingOutcome, TokenEndings } from './endings.js'
import { changedSince } from './planner.js'
import type { IdentityPlanner, PlannedIdentity } from './planner.js'

export interface IdentityRunnerOptions {
  readonly store: IdentityJobStore
  readonly plan: IdentityPlanner
  readonly endings: TokenEndings
  /** Called when the identity service of a cluster has what was deployed. */
  readonly deployed: (clusterId: number) => void
  readonly clock: Clock
  readonly log: Log
  /** Aborted when the control plane stops: a job then stays unfinished, and the next process continues it. */
  readonly stopping: AbortSignal
}

/** After so many processes that began with it and did not end it, a job fails. */
const maxAttempts = 10

/** Runs the deployments of users to identity services, one after the other. Each can be repeated, so a crash loses nothing. */
export class IdentityRunner {
  readonly #options: IdentityRunnerOptions
  readonly #loop: CheckLoop

  constructor(options: IdentityRunnerOptions) {
    this.#options = options
    const { log } = options
    this.#loop = new CheckLoop({
      check: () => this.#runAll(),
      onError: (error) => logFailure(log, error, 'could not deploy users to an identity service, retrying'),
    })
  }

  /** Runs every unfinished job now, or again after the present run. */
  wake(): void {
    this.#loop.wake()
  }

  /** Resolves when nothing is under way. */
  stop(): Promise<void> {
    return this.#loop.stop()
  }

  async #runAll(): Promise<void> {
    const { store, clock, stopping } = this.#options
    for (const id of await store.unfinished(new Date(clock.now()))) if (!stopping.aborted) await this.#runJob(id)
  }

  async #runJob(id: number): Promise<void> {
    const { store, clock, log, stopping } = this.#options
    const now = () => new Date(clock.now())
    const job = await store.transaction((tx) => store.begin(tx, id, now()))
    if (job === undefined) return
    const end = await this.#work(job)
    // What was interrupted is neither done nor failed.
    if (stopping.aborted) return
    if ('until' in end) return store.wait(id, end.until, end.message)
    await store.transaction((tx) => store.end(tx, id, end, now()))
    log.info({ job: id, kind: 'user_db', state: end.state, message: end.message }, 'a deployment has ended')
    if (end.state === 'applied') this.#options.deployed(job.clusterId)
  }

  async #work(job: IdentityJob): Promise<JobEnd | JobWait> {
    if (job.isWaiting) return endOf(await this.#options.endings.end(job.clusterId))
    // It was canceled before it began.
    if (job.state !== 'waiting') return { state: job.state, message: job.message }
    if (job.attempts > maxAttempts)
      return { state: 'failed', message: 'The control plane was stopped during each attempt. Deploy again.' }
    const planned = await this.#options.plan(job.clusterId)
    if ('error' in planned) return { state: 'failed', message: planned.error }
    if (job.dryRun) return planEnd(planned)
    const moved = job.reviewed === undefined ? undefined : changedSince(job.reviewed, planned, job.attempts > 1)
    return moved === undefined ? this.#apply(job.clusterId, planned) : { state: 'failed', message: moved }
  }

  async #apply(clusterId: number, { client, desired, changes }: PlannedIdentity): Promise<JobEnd | JobWait> {
    const { store, endings } = this.#options
    const revoked = changes.users.flatMap(({ userId, revocations }) =>
      userId === undefined || revocations.length === 0 ? [] : [userId],
    )
    // Before, so that a crash forgets none; and after, since a proxy may validate a token until then.
    await endings.add(clusterId, revoked)
    const { state, message } = await applyIdentity({
      client,
      desired,
      changes,
      done: ({ id, name, passwordRevision }, projectId) =>
        store.recordUser(id, { projectId, login: name, passwordRevision }),
    })
    await endings.add(clusterId, revoked)
    const outcome = await endings.end(clusterId)
    if (state === 'applied') return endOf(outcome)
    return { state, message: outcome.state === 'done' ? message : `${message} ${outcome.message}` }
  }
}

/** A job that waits for the end of tokens. */
interface JobWait {
  readonly until: Date
  readonly message: string
}

/** The job has succeeded when no proxy accepts a token of before. */
function endOf(outcome: EndingOutcome): JobEnd | JobWait {
  if (outcome.state === 'waiting') return outcome
  return outcome.state === 'done' ? { state: 'applied', message: '' } : { state: 'failed', message: outcome.message }
}

/** The end of a dry run: its plan has a name, by which it can be applied. */
function planEnd({ plan, mark }: PlannedIdentity): JobEnd {
  const planId = `p-${createHash('sha256').update(mark).digest('hex').slice(0, 32)}`
  return { state: 'planned', message: '', planned: { plan, mark, planId } }
}
