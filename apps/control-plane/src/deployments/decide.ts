import type { JobState, TargetState } from '@roost/api-types/rest'

export interface TargetNow {
  readonly nodeId: number
  readonly state: TargetState
  /** The target was sent its generation, or asked for its plan. */
  readonly begun: boolean
  /** The node itself said how it ended. */
  readonly answered: boolean
  /** Unix milliseconds; null before it has begun. */
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
  /** The message of a job without targets. */
  readonly withoutTargets: string
}

const ended: readonly TargetState[] = ['applied', 'failed', 'rolled_back']

/** The state machine of a job, without any effect of its own. */
export function decide(job: JobNow, rules: DecisionRules, now: number): Decision {
  const { targets } = job
  if (targets.length === 0) return { ...nothing, finish: { state: 'COMPLETED_FAILED', message: rules.withoutTargets } }
  const running = targets.filter((target) => target.begun && !isEnded(target, job))
  const expire = running.filter(({ deadline }) => deadline !== null && deadline <= now)
  const waiting = targets.filter((target) => !target.begun && !isEnded(target, job))
  // A node that is silent must not stop the others; one that could not do it may be the first of many.
  const broken = targets.some(({ state, answered }) => answered && isFailure(state))
  const blocked = rules.oneByOne && !job.dryRun
  const skip = blocked && broken ? waiting : []
  const free = blocked ? 1 - (running.length - expire.length) : waiting.length
  const begin = skip.length > 0 ? [] : waiting.slice(0, Math.max(0, free))
  return {
    begin: begin.map(({ nodeId }) => nodeId),
    expire: expire.map(({ nodeId }) => nodeId),
    skip: skip.map(({ nodeId }) => nodeId),
    finish: running.length + waiting.length === 0 ? outcome(targets) : null,
  }
}

const nothing = { begin: [], expire: [], skip: [] }

function isFailure(state: TargetState): boolean {
  return state === 'failed' || state === 'rolled_back'
}

/** A dry run ends for a target with its plan. */
function isEnded({ state }: TargetNow, { dryRun }: JobNow): boolean {
  return ended.includes(state) || (dryRun && state === 'planned')
}

function outcome(targets: readonly TargetNow[]): Decision['finish'] {
  const failed = targets.filter(({ state }) => isFailure(state))
  const [first] = failed
  if (first === undefined) return { state: 'COMPLETED_SUCCESS', message: '' }
  const message =
    targets.length === 1
      ? first.message
      : `${failed.length} of ${targets.length} nodes failed; the first: ${first.message}`
  return { state: 'COMPLETED_FAILED', message }
}

/** 0 to 100: each target by how far it is. */
export function progressOf(job: JobNow): number {
  if (job.state === 'COMPLETED_SUCCESS' || job.state === 'COMPLETED_FAILED') return 100
  if (job.targets.length === 0) return 0
  const sum = job.targets.reduce((total, target) => total + (isEnded(target, job) ? 100 : weights[target.state]), 0)
  return Math.floor(sum / job.targets.length)
}

const weights: Readonly<Record<TargetState, number>> = {
  waiting: 0,
  planned: 30,
  staged: 60,
  applied: 100,
  failed: 100,
  rolled_back: 100,
}
