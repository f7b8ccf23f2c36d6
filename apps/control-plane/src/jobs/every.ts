import { type Clock, Periodic, type Stoppable, systemClock } from '@roost/runtime'
import { logged } from '../services/errors.js'
import type { Log } from '../lifecycle/log.js'

/** Runs a job periodically, `periodMs` after the start and after the end of each run. A failed run is logged. */
export function every(
  periodMs: number,
  name: string,
  work: () => Promise<void>,
  log: Pick<Log, 'warn'>,
  clock: Clock = systemClock,
): Stoppable {
  return new Periodic({
    clock,
    intervalMs: () => periodMs,
    firstDelayMs: periodMs,
    countFrom: 'end',
    work,
    onError: (error) => log.warn({ ...logged(error), job: name }, 'periodic job failed, retrying'),
  })
}
