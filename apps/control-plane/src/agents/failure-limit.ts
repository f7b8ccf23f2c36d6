import { isIPv6 } from 'node:net'
import type { Clock } from '../clock.js'

const windowMs = 60_000
const maxAddresses = 10_000

export interface FailureLimit {
  /** Seconds to wait when the address has failed too often, else 0. */
  retryAfterSeconds(address: string): number
  fail(address: string): void
  /** Runs after whatever the same address has under way: guesses that come together are counted one by one. */
  inTurn<T>(address: string, work: () => Promise<T>): Promise<T>
}

/** Counts failures by address over the last minute. An IPv6 host has a whole /64 to guess from: it counts as one. */
export function createFailureLimit(perMinute: number, clock: Clock): FailureLimit {
  const failures = new Map<string, number[]>()
  const underway = new Map<string, Promise<unknown>>()
  const recent = (key: string) => (failures.get(key) ?? []).filter((at) => clock.monotonic() - at < windowMs)
  return {
    retryAfterSeconds(address) {
      const times = recent(networkOf(address))
      const oldest = times[times.length - perMinute]
      return oldest === undefined ? 0 : Math.ceil((oldest + windowMs - clock.monotonic()) / 1000)
    },
    fail(address) {
      const key = networkOf(address)
      const times = [...recent(key), clock.monotonic()].slice(-perMinute)
      // A new entry goes to the end, so that the first one is the one that was idle for longest.
      failures.delete(key)
      failures.set(key, times)
      const idlest = failures.keys().next().value
      if (failures.size > maxAddresses && idlest !== undefined) failures.delete(idlest)
    },
    async inTurn(address, work) {
      const key = networkOf(address)
      const running = (underway.get(key) ?? Promise.resolve()).then(work)
      const settled = running.catch(() => {})
      underway.set(key, settled)
      try {
        return await running
      } finally {
        if (underway.get(key) === settled) underway.delete(key)
      }
    },
  }
}

function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address
  const [head = '', tail] = address.split('::')
  const groups = head.split(':').filter((group) => group !== '')
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').filter((group) => group !== '').length
  return [...groups, ...Array<string>(missing).fill('0'), ...(tail?.split(':') ?? [])].slice(0, 4).join(':')
}
