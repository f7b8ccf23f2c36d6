import { logged } from '../services/errors.js'
import type { Log } from '../lifecycle/log.js'

export interface Job {
  /** Waits for a run in progress and starts no other. */
  stop(): Promise<void>
}

/** Runs `work` periodically, `periodMs` after the end of the previous run. A failure is logged. */
export function every(periodMs: number, name: string, work: () => Promise<void>, log: Pick<Log, 'warn'>): Job {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let stopped = false

  const run = async () => {
    try {
      await work()
    } catch (error) {
      log.warn({ ...logged(error), job: name }, 'periodic job failed, retrying')
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
