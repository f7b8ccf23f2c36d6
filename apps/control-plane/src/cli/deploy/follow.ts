import type { Job } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Rpc } from '../client/api.js'
import { parseDuration } from '../terminal/durations.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { createProgress } from '../terminal/progress.js'
import type { Progress } from '../terminal/progress.js'
import type { Terminal } from '../terminal/terminal.js'

export interface WaitFlags {
  /** Seconds. */
  readonly wait?: number
}

export function withWait(command: Command): Command {
  return command.option('--wait <time>', 'wait at most so long, such as 10m (default: until it ends)', parseDuration)
}

interface FollowedJob {
  readonly kind: 'gatewayDeployments' | 'userDbDeployments'
  readonly id: string
}

/** Whether a job waits for `job confirm`: each of its nodes has ended, and at least one has applied it. */
export function awaitsConfirmation({ state, confirm_within_s: within, confirmed, targets }: Job): boolean {
  if (state !== 'IN_PROGRESS' || within === null || confirmed !== null) return false
  return targets.some(({ state: of }) => of === 'applied') && targets.every(({ state: of }) => ended.has(of))
}

const ended = new Set(['applied', 'failed', 'rolled_back'])

/**
 * Follows a job until it ends or waits for its confirmation, with a line of progress on a terminal. The job runs on if this command
 * is ended.
 */
export async function followJob(
  terminal: Terminal,
  rpc: Rpc,
  { kind, id }: FollowedJob,
  { wait }: WaitFlags,
): Promise<Job> {
  const progress = createProgress(terminal)
  let latest: Job | undefined
  const end = await new Promise<'ended' | 'timeout' | 'stopped'>((resolve, reject) => {
    const timer = wait === undefined ? undefined : setTimeout(() => resolve('timeout'), wait * 1000)
    terminal.stopping.addEventListener('abort', () => resolve('stopped'), { once: true })
    const finish = (act: () => void) => {
      clearTimeout(timer)
      act()
    }
    const watching = rpc[kind].watch.subscribe(
      { id },
      {
        onData(job) {
          latest = job
          showJob(progress, job)
          if (!awaitsConfirmation(job)) return
          watching.unsubscribe()
          finish(() => resolve('ended'))
        },
        onError: (error) => finish(() => reject(error)),
        onComplete: () => finish(() => resolve('ended')),
      },
    )
  }).finally(() => progress.end())
  if (end === 'ended' && latest !== undefined) return latest
  throw new CommandError(
    `Job ${id} has not ended. It runs on: "roost job wait ${id}" follows it.`,
    end === 'timeout' ? exitCodes.timeout : exitCodes.error,
  )
}

function showJob(progress: Progress, { id, progress: percent, targets }: Job): void {
  const applied = targets.filter((target) => target.state === 'applied').length
  progress.show(`job ${id}: ${applied} of ${targets.length} applied`, percent)
}

/** Ends a command with the exit code of a job that has ended. */
export function endByResult(job: Job): void {
  const { id, state, message, targets } = job
  if (state === 'COMPLETED_SUCCESS') return
  if (awaitsConfirmation(job)) return
  const applied = targets.filter((target) => target.state === 'applied').length
  const text = `Job ${id} failed: ${message || `${applied} of ${targets.length} targets applied`}`
  throw new CommandError(text, applied > 0 && applied < targets.length ? exitCodes.partly : exitCodes.error)
}
