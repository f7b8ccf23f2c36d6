import type { FastifyRequest } from 'fastify'
import { sourceOf } from '../../services/failure-limit.js'
import { countWindows } from '../../services/windows.js'
import { refuseTooMany } from './authentication.js'

/** Returns a hook that refuses the requests of an address beyond a number in a minute. `now` is in monotonic milliseconds. */
export function limitByAddress(perMinute: number, now: () => number): (request: FastifyRequest) => Promise<void> {
  const requests = countWindows({ max: perMinute, windowMs: 60_000, now })
  return async ({ ip }) => {
    const source = sourceOf(ip)
    refuseTooMany(requests.retryAfterSeconds(source), 'Too many requests from this address.')
    requests.count(source)
  }
}
