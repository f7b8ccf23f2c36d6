import { logged } from '../services/errors.js'
import type { Log } from '../lifecycle/log.js'

export interface Job {
  /** Waits for a run that is under way; none begins after it. */
  stop(): Promise<void>
}

/** Runs `work` again and again, `periodMs` after the end of the last run. A run that fails is logged, and the next one comes. */
export function every(periodMs: number, name: string, work: () => Promise<void>, log: Pick<Log, 'warn'>): Job {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let stopped = false

  const run = async () => {
    try {
      await work()
    } catch (error) {
      log.warn({ ...logged(error), job: name }, 'a periodic job failed; it will be tried again')
    } finally {
      arm()
    }
  }
  const arm = () => {
    if (stopped) return
    timer = setTimeout(() => {
      running = run()
    }, periodMs).unref()
  }
  arm()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
