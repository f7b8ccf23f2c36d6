import { networkAddress, normalizeAddress } from '@roost/api-types/rest'
import { KeyedQueue } from '@roost/runtime'
import { countWindows } from './windows.js'

export interface FailureLimit {
  /** Seconds to wait when the address has failed too often. */
  retryAfterSeconds(address: string): number | undefined
  fail(address: string): void
  /** Runs after earlier work of the same address, so that concurrent guesses are counted one by one. */
  inOrder<T>(address: string, work: () => Promise<T>): Promise<T>
}

/** Counts failures by address, in windows of a minute. `now` returns monotonic milliseconds. */
export function createFailureLimit(perMinute: number, now: () => number): FailureLimit {
  const failures = countWindows({ max: perMinute, windowMs: 60_000, now })
  const queue = new KeyedQueue<string>()
  return {
    retryAfterSeconds: (address) => failures.retryAfterSeconds(sourceOf(address)),
    fail: (address) => failures.count(sourceOf(address)),
    inOrder: (address, work) => queue.run(sourceOf(address), work),
  }
}

/** Returns the key to count by. A host may use every address of an IPv6 /64: they count as one. */
export function sourceOf(address: string): string {
  const source = normalizeAddress(address) ?? address
  return source.includes(':') ? networkAddress(source, 64) : source
}
