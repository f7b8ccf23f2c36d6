import type { JobState, TargetState } from '@roost/api-types/rest'
import type { Clock } from '@roost/runtime'

export interface TargetNow {
  readonly nodeId: number
  readonly hostname: string
  readonly state: TargetState
  /** The target was sent its generation, or asked for its plan. */
  readonly begun: boolean
  /** The node itself said how it ended. */
  readonly answered: boolean
  /** It has ended, but the node returns to its former generation unless the job is confirmed. */
  readonly unconfirmed: boolean
  /** How many processes have waited for it. */
  readonly attempts: number
  /** Milliseconds of the monotonic clock; null before it has begun. */
  readonly deadline: number | null
  readonly message: string
}

export interface JobNow {
  readonly state: JobState
  readonly dryRun: boolean
  readonly targets: readonly TargetNow[]
}

/** The next steps of a job. After they have been taken, the next decision does not repeat them. */
export interface Decision {
  /** Targets to begin with. */
  readonly begin: readonly number[]
  /** Targets whose time is over. */
  readonly expire: readonly number[]
  /** Targets that are not begun any more, since one before them has failed. */
  readonly skip: readonly number[]
  /** The end of the job; null while it goes on. */
  readonly finish: { readonly state: 'COMPLETED_SUCCESS' | 'COMPLETED_FAILED'; readonly message: string } | null
}

export interface DecisionRules {
  readonly oneByOne: boolean
  /** True: its nodes let users in, so that the job names each one on which those may go on who lost their rights. */
  readonly shutsOut: boolean
  /** The message of a job without targets. */
  readonly withoutTargets: string
}

/** A target in one of these has a result. */
export const endedStates: readonly TargetState[] = ['applied', 'failed', 'rolled_back']

/** The state machine of a job, without any effect of its own. `now` is the time of the monotonic clock. */
export function decide(job: JobNow, rules: DecisionRules, now: number): Decision {
  const { targets } = job
  if (targets.length === 0) return { ...nothing, finish: { state: 'COMPLETED_FAILED', message: rules.withoutTargets } }
  const running = targets.filter((target) => target.begun && !isEnded(target, job))
  const unconfirmed = targets.filter((target) => target.unconfirmed)
  const expire = running.filter((target) => isLate(target, now))
  const waiting = targets.filter((target) => !target.begun && !isEnded(target, job))
  // A node that is silent must not stop the others; one that could not do it may be the first of many.
  const broken = targets.some(({ state, answered }) => answered && isFailure(state))
  const blocked = rules.oneByOne && !job.dryRun
  const skip = blocked && broken ? waiting : []
  const free = blocked ? 1 - (running.length - expire.length) : waiting.length
  const begin = skip.length > 0 ? [] : waiting.slice(0, Math.max(0, free))
  return {
    begin: begin.map(({ nodeId }) => nodeId),
    expire: [...expire, ...unconfirmed.filter((target) => isLate(target, now))].map(({ nodeId }) => nodeId),
    skip: skip.map(({ nodeId }) => nodeId),
    finish: running.length + waiting.length + unconfirmed.length === 0 ? outcome(job, rules) : null,
  }
}

const nothing = { begin: [], expire: [], skip: [] }

function isLate({ deadline }: TargetNow, now: number): boolean {
  return deadline !== null && deadline <= now
}

function isFailure(state: TargetState): boolean {
  return state === 'failed' || state === 'rolled_back'
}

/** A dry run ends for a target with its plan. */
function isEnded({ state }: TargetNow, { dryRun }: JobNow): boolean {
  return endedStates.includes(state) || (dryRun && state === 'planned')
}

function outcome({ targets, dryRun }: JobNow, { shutsOut }: DecisionRules): Decision['finish'] {
  const failed = targets.filter(({ state }) => isFailure(state))
  const [first] = failed
  if (first === undefined) return { state: 'COMPLETED_SUCCESS', message: '' }
  const state = 'COMPLETED_FAILED'
  if (targets.length === 1) return { state, message: first.message }
  const isNotReached = failed.some(({ begun, answered }) => begun && !answered)
  if (shutsOut && !dryRun && isNotReached) return { state, message: notShutOut(targets.length, failed) }
  return { state, message: `${failed.length} of ${targets.length} nodes failed; the first: ${first.message}` }
}

const shownNames = 10

/** Names each proxy that failed, by its reason: what they share is a memcached server. */
function notShutOut(total: number, failed: readonly TargetNow[]): string {
  const messages = [...new Set(failed.map(({ message }) => message))]
  const reasons = messages.map((message) => {
    const names = failed.filter((target) => target.message === message).map(({ hostname }) => hostname)
    const more = names.length > shownNames ? ` and ${names.length - shownNames} more` : ''
    return `${names.slice(0, shownNames).join(', ')}${more}: ${message}`
  })
  return `Users who lost rights are shut out on ${total - failed.length} of ${total} proxies. ${reasons.join(' ')}`
}

/** 0 to 100: each target by how far it is. */
export function progressOf(job: JobNow): number {
  if (job.state === 'COMPLETED_SUCCESS' || job.state === 'COMPLETED_FAILED') return 100
  if (job.targets.length === 0) return 0
  const sum = job.targets.reduce((total, target) => total + (isEnded(target, job) ? 100 : weights[target.state]), 0)
  const progress = Math.floor(sum / job.targets.length)
  return job.targets.some(({ unconfirmed }) => unconfirmed) ? Math.min(99, progress) : progress
}

const weights: Readonly<Record<TargetState, number>> = {
  waiting: 0,
  planned: 30,
  staged: 60,
  applied: 100,
  failed: 100,
  rolled_back: 100,
}

/** After so many starts of a control plane that waited for it, a target that still did not answer fails. */
const maxAttempts = 10

type OpenJob = { readonly id: number; readonly now: JobNow }

/**
 * The deadlines of targets, by a clock that never jumps. They are lost with the process: the next one gives each open target
 * its complete time again, and counts the attempts in the database, so that a target does not stay open forever.
 */
export interface TargetDeadlines {
  start(jobId: number, nodeId: number, timeoutMs: number): void
  /**
   * Returns the job with the deadlines of its targets, and the targets that this process waits for from now on.
   * `confirmMs`: how long a target may wait for a confirmation.
   */
  withDeadlines(
    job: OpenJob,
    timeoutMs: number,
    confirmMs: number,
  ): { readonly now: JobNow; readonly resumed: readonly number[] }
  /** Forgets all jobs but these. */
  keep(jobIds: readonly number[]): void
}

export function createTargetDeadlines(clock: Pick<Clock, 'monotonic'>): TargetDeadlines {
  const jobs = new Map<number, Map<string, number>>()
  const start = (jobId: number, nodeId: number, timeoutMs: number, isConfirmation = false): number => {
    const deadline = clock.monotonic() + timeoutMs
    const targets = jobs.get(jobId) ?? new Map<string, number>()
    jobs.set(jobId, targets.set(nameOf(nodeId, isConfirmation), deadline))
    return deadline
  }
  return {
    start,
    withDeadlines({ id, now }, timeoutMs, confirmMs) {
      const resumed: number[] = []
      const deadlineOf = ({ nodeId, begun, unconfirmed, attempts }: TargetNow): number | null => {
        const known = jobs.get(id)?.get(nameOf(nodeId, unconfirmed))
        if (known !== undefined || !begun) return known ?? null
        if (attempts >= maxAttempts) return -Infinity
        resumed.push(nodeId)
        return start(id, nodeId, unconfirmed ? confirmMs : timeoutMs, unconfirmed)
      }
      const targets = now.targets.map((target) => ({ ...target, deadline: deadlineOf(target) }))
      return { now: { ...now, targets }, resumed }
    },
    keep(jobIds) {
      for (const id of jobs.keys()) if (!jobIds.includes(id)) jobs.delete(id)
    },
  }
}

/** A target has a deadline for its result, and another one for its confirmation. */
function nameOf(nodeId: number, isConfirmation: boolean): string {
  return isConfirmation ? `${nodeId} confirmation` : String(nodeId)
}

/** How a job ends: its state and its message. */
export type JobEnd = NonNullable<Decision['finish']>

/** An end with sentences about tokens that may remain is a failure: success means that they are accepted nowhere. */
export function withNotes(end: JobEnd, notes: readonly string[]): JobEnd {
  const news = notes.filter((note) => !end.message.includes(note))
  const state = notes.length === 0 ? end.state : 'COMPLETED_FAILED'
  return { state, message: [end.message, ...news].filter(Boolean).join(' ') }
}
