import { isIPv6 } from 'node:net'
import type { Clock } from '@roost/runtime'
import { countWindows } from '../../http/guards/windows.js'

export interface FailureLimit {
  /** Seconds to wait when the address has failed too often. */
  retryAfterSeconds(address: string): number | undefined
  fail(address: string): void
  /** Runs after earlier work of the same address, so that concurrent guesses are counted one by one. */
  inTurn<T>(address: string, work: () => Promise<T>): Promise<T>
}

/** Counts failures by address, in windows of a minute. */
export function createFailureLimit(perMinute: number, clock: Clock): FailureLimit {
  const failures = countWindows({ max: perMinute, windowMs: 60_000, now: () => clock.monotonic() })
  const underway = new Map<string, Promise<unknown>>()
  return {
    retryAfterSeconds: (address) => failures.retryAfterSeconds(networkOf(address)),
    fail: (address) => failures.count(networkOf(address)),
    async inTurn(address, work) {
      const key = networkOf(address)
      const running = (underway.get(key) ?? Promise.resolve()).then(work)
      const settled = running.catch(() => {}) // its caller gets the error
      underway.set(key, settled)
      try {
        return await running
      } finally {
        if (underway.get(key) === settled) underway.delete(key)
      }
    },
  }
}

/** An IPv6 host may use a whole /64 network: it counts as one address. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address
  const [head = '', tail] = address.split('::')
  const groups = groupsOf(head)
  const zeros = tail === undefined ? 0 : 8 - groups.length - groupsOf(tail).length
  return [...groups, ...Array<string>(zeros).fill('0'), ...groupsOf(tail ?? '')].slice(0, 4).join(':')
}

function groupsOf(text: string): string[] {
  return text.split(':').filter((group) => group !== '')
}
