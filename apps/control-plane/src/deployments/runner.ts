import type { DeploymentKind } from '@roost/api-types/agent'
import { fp } from '@roost/failpoints'
import type { Transaction } from '../database/transaction.js'
import { CheckLoop } from '@roost/runtime'
import type { Clock } from '@roost/runtime'
import { logFailure } from '../services/errors.js'
import type { Log } from '../lifecycle/log.js'
import type { Secrets } from '../secrets/secrets.js'
import { urgentTargets } from './token-ending.js'
import { createTargetDeadlines, decide, withNotes } from './decide.js'
import type { Decision, JobEnd, TargetDeadlines } from './decide.js'
import type { LockedJob, JobStore } from './job-store.js'
import { decisionRules } from './kinds.js'
import type { DeploymentNodes } from './nodes.js'
import type { Payloads } from './payload.js'
import { movedSince, planId } from './plan-id.js'
import type { Planner } from './planner.js'
import type { StateStore } from './state-store.js'
import { beginning, beginTarget, createTargetFailures, mayBegin, silence } from './targets.js'
import type { TargetFailures } from './targets.js'
import type { TokenEnding } from './token-ending.js'

export interface RunnerTimeouts {
  /** How long a node may be silent about a generation before its target fails. */
  readonly targetTimeoutMs: number
  /** How long a dry run waits for a plan that a crash may have swallowed. */
  readonly planTimeoutMs: number
}

export interface RunnerOptions {
  readonly jobs: Readonly<Record<DeploymentKind, JobStore>>
  readonly store: StateStore
  readonly nodes: DeploymentNodes
  readonly payloads: Payloads
  readonly plan: Planner
  readonly tokens: TokenEnding
  readonly secrets: Secrets
  readonly clock: Clock
  readonly log: Log
}

interface Step {
  readonly job: LockedJob
  readonly begun: readonly number[]
  readonly reviewed: readonly number[]
  readonly moved: boolean
  readonly endsTokens: boolean
}

/** Runs unfinished jobs. Every step is its own transaction, so a crash loses at most a pending request for a plan. */
export class JobRunner {
  readonly #options: RunnerOptions
  readonly #timeouts: RunnerTimeouts
  readonly #deadlines: TargetDeadlines
  readonly #failures: TargetFailures
  readonly #loop: CheckLoop
  /** Targets whose reviewed plans are being compared with a new plan, as `job/node`. */
  readonly #asking = new Set<string>()

  constructor(options: RunnerOptions, timeouts: RunnerTimeouts) {
    this.#options = options
    this.#timeouts = timeouts
    this.#deadlines = createTargetDeadlines(options.clock)
    this.#failures = createTargetFailures(options)
    const { log } = options
    this.#loop = new CheckLoop({
      check: () => this.#check(),
      onError: (error) => logFailure(log, error, 'could not check the deployments, retrying'),
    })
  }

  /** Checks every unfinished job now, or again after the present check. */
  wake(): void {
    this.#loop.wake()
  }

  /** Resolves when nothing is under way; nothing begins after it. */
  stop(): Promise<void> {
    return this.#loop.stop()
  }

  async #check(): Promise<void> {
    const { store, nodes } = this.#options
    await nodes.resend()
    const unfinished = await store.unfinishedJobs()
    this.#deadlines.keep(unfinished.map(({ id }) => id))
    for (const { id, kind } of unfinished) await this.#advanceSafely(id, kind)
  }

  /** A job that fails here must not stop the ones after it. */
  async #advanceSafely(id: number, kind: DeploymentKind): Promise<void> {
    try {
      await this.#advance(id, kind)
    } catch (error) {
      logFailure(this.#options.log, error, 'could not advance a deployment, retrying', { job: id })
    }
  }

  async #advance(id: number, kind: DeploymentKind): Promise<void> {
    const step = await this.#step(id, kind)
    if (step === undefined) return
    for (const nodeId of step.begun) {
      if (step.job.now.dryRun) this.#loop.track(this.#askForPlan(step.job, nodeId))
      else await this.#dispatch(nodeId)
    }
    if (step.endsTokens) this.#loop.track(this.#endTokens(step.job))
    for (const nodeId of step.reviewed) this.#loop.track(this.#beginReviewed(step.job, nodeId))
    if (step.moved) await this.#advance(id, kind)
  }

  /** Decides and stores the next step. A target that cannot be begun fails, and the others go on. */
  async #step(id: number, kind: DeploymentKind): Promise<Step | undefined> {
    const { store, jobs } = this.#options
    const stored = store.transaction(async (tx) => {
      const job = await jobs[kind].lock(tx, id)
      return job === undefined ? undefined : this.#move(tx, job)
    })
    return stored.catch(async (error: unknown) => {
      await this.#failures.afterBegin({ id, kind }, error)
      return this.#step(id, kind)
    })
  }

  async #move(tx: Transaction, job: LockedJob): Promise<Step> {
    const { jobs, clock, tokens, nodes } = this.#options
    const decision = await this.#decide(tx, job)
    if (job.now.state !== 'IN_PROGRESS') await jobs[job.kind].begin(tx, job.id, new Date(clock.now()))
    for (const nodeId of decision.expire)
      await this.#fail(tx, job, nodeId, silence(job, nodeId, this.#timeouts.targetTimeoutMs))
    const urgent = await urgentTargets(this.#options, tx, job, decision.skip)
    const skipped = decision.skip.filter((nodeId) => !urgent.includes(nodeId))
    for (const nodeId of skipped) await this.#fail(tx, job, nodeId, 'Not started, because an earlier node failed.')
    const begin = [...decision.begin.filter((nodeId) => mayBegin(nodes, job, nodeId)), ...urgent]
    const reviewed = begin.filter((nodeId) => job.reviewed.has(nodeId))
    const free = begin.filter((nodeId) => !job.reviewed.has(nodeId))
    const begun: number[] = []
    for (const nodeId of free) if (await beginning(nodeId, this.#begin(tx, job, nodeId))) begun.push(nodeId)
    const notes = tokens.notesOf(job)
    if (decision.finish && notes) await this.#finish(tx, job, withNotes(decision.finish, notes))
    const moved = decision.expire.length + skipped.length > 0 || begun.length < free.length
    return { job, begun, reviewed, moved, endsTokens: decision.finish !== null && notes === undefined }
  }

  #begin(tx: Transaction, job: LockedJob, nodeId: number, planned?: string): Promise<boolean> {
    this.#deadlines.start(job.id, nodeId, this.#timeoutMs(job))
    return beginTarget(this.#options, tx, job, { nodeId, planned })
  }

  /** Decides with the deadlines of this process, and counts it as an attempt of the targets that it waits for from now on. */
  async #decide(tx: Transaction, job: LockedJob): Promise<Decision> {
    const { jobs, clock } = this.#options
    const { now, resumed } = this.#deadlines.withDeadlines(job, this.#timeoutMs(job), this.#confirmMs(job))
    for (const nodeId of resumed) await jobs[job.kind].updateTarget(tx, job.id, nodeId, { attempts: { increment: 1 } })
    return decide(now, decisionRules(job.kind), clock.monotonic())
  }

  #timeoutMs({ now }: LockedJob): number {
    return now.dryRun ? this.#timeouts.planTimeoutMs : this.#timeouts.targetTimeoutMs
  }

  /** The agent counts the time itself, and then has the time of a result to report that it returned. */
  #confirmMs({ confirmWithinS }: LockedJob): number {
    return (confirmWithinS ?? 0) * 1000 + this.#timeouts.targetTimeoutMs
  }

  async #dispatch(nodeId: number): Promise<void> {
    await this.#options.nodes.sendDesired(nodeId)
    fp('cp.deploy.afterDispatch')
  }

  async #endTokens(job: LockedJob): Promise<void> {
    if (await this.#options.tokens.ask(job)) this.wake()
  }

  /** Starts the target if its plan is still the reviewed one; otherwise the target fails with what has changed. */
  async #beginReviewed({ id, kind, returnTo, reviewed }: LockedJob, nodeId: number): Promise<void> {
    const { store, jobs, nodes, plan } = this.#options
    const question = `${id}/${nodeId}`
    const known = reviewed.get(nodeId)
    if (known === undefined || this.#asking.has(question)) return
    this.#asking.add(question)
    try {
      const now = await plan(kind, nodeId, returnTo)
      const answered = nodes.isConnected(nodeId)
      const fault = 'error' in now ? now.error : movedSince(known, now)
      const isBegun = await store.transaction(async (tx) => {
        const job = await jobs[kind].lock(tx, id)
        const target = job?.now.targets.find((one) => one.nodeId === nodeId)
        if (job === undefined || target?.state !== 'waiting' || target.begun) return false
        if (fault === undefined) return this.#begin(tx, job, nodeId, 'error' in now ? undefined : now.payload)
        await jobs[kind].updateTarget(tx, id, nodeId, { state: 'failed', message: fault, answered })
        return false
      })
      if (isBegun) await this.#dispatch(nodeId)
      this.wake()
    } catch (error) {
      const message = 'could not begin a reviewed plan, retrying'
      if (await this.#failures.failUnlessRetryable({ id, kind }, nodeId, error, message)) this.wake()
    } finally {
      this.#asking.delete(question)
    }
  }

  async #askForPlan(job: LockedJob, nodeId: number): Promise<void> {
    const { store, jobs, plan } = this.#options
    try {
      const planned = await plan(job.kind, nodeId, job.returnTo)
      const update =
        'error' in planned
          ? { state: 'failed', message: planned.error, answered: true }
          : { state: 'planned', plan: planned.plan, planMark: planned.mark, answered: true }
      await store.transaction((tx) => jobs[job.kind].updateTarget(tx, job.id, nodeId, update))
    } catch (error) {
      const message = 'could not store a plan, the node will fail at its deadline'
      await this.#failures.failUnlessRetryable(job, nodeId, error, message)
    }
    this.wake()
  }

  async #finish(tx: Transaction, job: LockedJob, end: JobEnd): Promise<void> {
    const { jobs, clock, log } = this.#options
    const isPlanned = job.now.dryRun && end.state === 'COMPLETED_SUCCESS'
    const id = isPlanned ? planId(await jobs[job.kind].planMarks(tx, job.id)) : null
    await jobs[job.kind].finish(tx, job.id, { ...end, at: new Date(clock.now()), planId: id })
    this.#options.tokens.forget(job.id)
    log.info({ job: job.id, kind: job.kind, state: end.state, message: end.message }, 'a deployment has ended')
  }

  #fail(tx: Transaction, job: LockedJob, nodeId: number, message: string): Promise<void> {
    return this.#options.jobs[job.kind].updateTarget(tx, job.id, nodeId, {
      state: 'failed',
      message,
      unconfirmed: false,
    })
  }
}
