import { createHash } from 'node:crypto'
import type { Clock } from '@roost/runtime'
import type { Log } from '../lifecycle/log.js'
import { isTemporary, logged } from '../services/errors.js'
import { applyIdentity } from './apply.js'
import type { IdentityJob, IdentityJobStore, JobEnd } from './job-store.js'
import { cacheNotes, changedSince } from './planner.js'
import type { IdentityPlanner, PlannedIdentity } from './planner.js'

export interface IdentityRunnerOptions {
  readonly store: IdentityJobStore
  readonly plan: IdentityPlanner
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
  #running: Promise<void> | undefined
  #again = false

  constructor(options: IdentityRunnerOptions) {
    this.#options = options
  }

  /** Runs every unfinished job now, or again after the present run. */
  wake(): void {
    this.#again = true
    this.#running ??= this.#run().finally(() => (this.#running = undefined))
  }

  /** Resolves when nothing is under way. */
  async stop(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    const { log, stopping } = this.#options
    while (this.#again && !stopping.aborted) {
      this.#again = false
      await this.#runAll().catch((error: unknown) => {
        const fields = logged(error)
        log[isTemporary(error) ? 'warn' : 'error'](fields, 'could not deploy users to an identity service, retrying')
      })
    }
  }

  async #runAll(): Promise<void> {
    const { store, stopping } = this.#options
    for (const id of await store.unfinished()) if (!stopping.aborted) await this.#runJob(id)
  }

  async #runJob(id: number): Promise<void> {
    const { store, clock, log, stopping } = this.#options
    const now = () => new Date(clock.now())
    const job = await store.transaction((tx) => store.begin(tx, id, now()))
    if (job === undefined) return
    const end = await this.#work(job)
    // What was interrupted is neither done nor failed.
    if (stopping.aborted) return
    await store.transaction((tx) => store.end(tx, id, end, now()))
    log.info({ job: id, kind: 'user_db', state: end.state, message: end.message }, 'a deployment has ended')
  }

  async #work(job: IdentityJob): Promise<JobEnd> {
    // It was canceled before it began.
    if (job.state !== 'waiting') return { state: job.state, message: job.message }
    if (job.attempts > maxAttempts)
      return { state: 'failed', message: 'The control plane was stopped during each attempt. Deploy again.' }
    const planned = await this.#options.plan(job.clusterId)
    if ('error' in planned) return { state: 'failed', message: planned.error }
    if (job.dryRun) return planEnd(planned)
    const moved = job.reviewed === undefined ? undefined : changedSince(job.reviewed, planned, job.attempts > 1)
    return moved === undefined ? this.#apply(planned) : { state: 'failed', message: moved }
  }

  async #apply({ client, desired, changes }: PlannedIdentity): Promise<JobEnd> {
    const { store } = this.#options
    const { state, message } = await applyIdentity({
      client,
      desired,
      changes,
      done: ({ id, name, passwordRevision }, projectId) =>
        store.recordUser(id, { projectId, login: name, passwordRevision }),
    })
    return { state, message: [message, ...cacheNotes(changes)].filter(Boolean).join(' ') }
  }
}

/** The end of a dry run: its plan has a name, by which it can be applied. */
function planEnd({ plan, mark }: PlannedIdentity): JobEnd {
  const planId = `p-${createHash('sha256').update(mark).digest('hex').slice(0, 32)}`
  return { state: 'planned', message: '', planned: { plan, mark, planId } }
}
