import { every } from '../jobs/every.js'
import type { Log } from '../lifecycle/log.js'
import { logged } from '../services/errors.js'

const periodMs = 60_000
/** Above it, failures of further addresses are counted together, under an empty address and without a line in the log. */
const maxAddresses = 100

export interface FailedLogins {
  /** Counts a login with a wrong name or key. */
  fail(address: string): void
  /** Records what is counted. */
  stop(): Promise<void>
}

export interface FailedLoginsOptions {
  readonly record: (address: string, failures: number) => Promise<void>
  readonly log: Log
}

/** Logs the first failed login of an address in a minute, and records the number of each address once a minute. */
export function createFailedLogins({ record, log }: FailedLoginsOptions): FailedLogins {
  const counts = new Map<string, number>()
  /** Counts what could not be stored again with the next failures. */
  const store = async () => {
    for (const [address, failures] of Array.from(counts)) {
      await record(address, failures)
      const later = (counts.get(address) ?? 0) - failures
      if (later > 0) counts.set(address, later)
      else counts.delete(address)
    }
  }
  const job = every(periodMs, 'record failed logins', store, log)
  return {
    fail(address) {
      const isNew = !counts.has(address)
      const isCountedAlone = !isNew || counts.size < maxAddresses
      const counted = isCountedAlone ? address : ''
      counts.set(counted, (counts.get(counted) ?? 0) + 1)
      if (isNew && isCountedAlone) log.warn({ address }, 'refused a login: wrong name or key')
    },
    async stop() {
      await job.stop()
      await store().catch((error: unknown) => log.warn(logged(error), 'could not record the failed logins'))
    },
  }
}
