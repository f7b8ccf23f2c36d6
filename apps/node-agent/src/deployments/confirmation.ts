import type { Confirmation } from '@roost/api-types/agent'
import type { Outcome } from './applier.js'
import type { DeploymentRecord, PendingConfirmation } from './record.js'

/** The time of the result of a generation from which the node returns: no confirmation is accepted any more. */
const returnSince = 0

/** Returns why the node could not return from a generation; undefined if it can, or need not. */
export function formerFault({ in_force }: DeploymentRecord, confirm: Confirmation | undefined): string | undefined {
  if (confirm === undefined || confirm.former.generation === in_force) return undefined
  return `This node has generation ${in_force} in force and not ${confirm.former.generation}, to which it would return. Deploy again.`
}

/** Returns the record of a generation that has a result: its time counts from now on, unless it has changed nothing. */
export function waiting(record: DeploymentRecord, now: number): DeploymentRecord {
  const { confirm, answer, in_force } = record
  if (confirm === undefined || confirm === null || answer === null) return record
  const isReturned = in_force === confirm.former.generation && answer.partly !== true
  return { ...record, confirm: isReturned ? null : { ...confirm, since: confirm.since ?? now } }
}

/** Returns true while a confirmation is accepted. */
export function isWaiting({ confirm }: DeploymentRecord): boolean {
  return typeof confirm?.since === 'number' && confirm.since !== returnSince
}

/** Returns true while a node whose time is over has not reached its former generation. */
export function isReturning({ confirm }: DeploymentRecord): boolean {
  return confirm?.since === returnSince
}

/** Returns the rest of the time, by the wall clock, because it must outlive the process; null if no generation waits. */
export function remainingMs(record: DeploymentRecord, now: number): number | null {
  const { confirm } = record
  if (!isWaiting(record) || typeof confirm?.since !== 'number') return null
  const withinMs = confirm.within_s * 1000
  return Math.min(Math.max(confirm.since + withinMs - now, 0), withinMs)
}

/** Returns the record of a node that returns to its former generation. */
export function returning(record: DeploymentRecord, confirm: PendingConfirmation): DeploymentRecord {
  return { ...record, desired: null, confirm: { ...confirm, since: returnSince } }
}

/** Returns the result of a generation that was not confirmed: `outcome` is that of the former one. */
export function returned({ within_s, former }: PendingConfirmation, outcome: Outcome): Outcome {
  const { message, files } = outcome
  const reason = `Not confirmed within ${durationText(within_s)}`
  if (outcome.outcome === 'applied') {
    const text = [`${reason}: returned to generation ${former.generation}.`, message].filter(Boolean).join(' ')
    return { outcome: 'rolled_back', in_force: former.generation, message: text, files }
  }
  const text = `${reason}, but the return to generation ${former.generation} failed. It is tried again every minute. ${message}`
  return { ...outcome, outcome: 'failed', message: text, isIncomplete: false }
}

function durationText(seconds: number): string {
  if (seconds % 60 !== 0) return `${seconds} seconds`
  return seconds === 60 ? '1 minute' : `${seconds / 60} minutes`
}
