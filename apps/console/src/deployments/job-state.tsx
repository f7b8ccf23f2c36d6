import type { JobRecord } from '../api/queries/deployments.js'
import { StateMark } from '../ui/state-mark.js'
import type { Tone } from '../ui/tone.js'
import { t, tOr } from '../words/text.js'

const tones: Readonly<Record<JobRecord['state'], Tone>> = {
  NEW: 'mute',
  QUEUED: 'mute',
  IN_PROGRESS: 'warn',
  COMPLETED_SUCCESS: 'ok',
  COMPLETED_FAILED: 'bad',
}

/** Returns true while the nodes have applied a job that an operator has to confirm. */
export function waitsForConfirmation({ confirm_within_s: seconds, confirmed, finished, targets }: JobRecord): boolean {
  const ended = new Set(['applied', 'failed', 'rolled_back'])
  return seconds !== null && confirmed === null && finished === null && targets.every(({ state }) => ended.has(state))
}

export function JobState({ job }: { readonly job: JobRecord }) {
  if (waitsForConfirmation(job)) return <StateMark tone="warn" label={t('job.waitsForYou')} />
  return <JobStateMark state={job.state} />
}

/** The state of whatever runs as a job. */
export function JobStateMark({ state }: Pick<JobRecord, 'state'>) {
  return <StateMark tone={tones[state]} label={tOr(`job.${state}`)} />
}
