import { closeCodes } from '@roost/api-types/agent'
import { expect, it } from 'vitest'
import { Backoff, type SessionEnd } from './backoff.js'

const broken: SessionEnd = { code: null, message: 'refused', retryAfterMs: null, stableMs: 0 }
const spreadMs = 30_000

function asked(retryAfterMs: number): SessionEnd {
  return { ...broken, code: closeCodes.tryAgainLater, retryAfterMs }
}

function delays(random: number, ends: readonly SessionEnd[]): number[] {
  const backoff = new Backoff(() => random)
  return ends.map((end) => backoff.delay(end, spreadMs))
}

it('spreads the first attempt after a stable session over the whole window', () => {
  const stable = { ...broken, stableMs: 60_000 }
  expect([0, 0.5, 0.999].map((random) => delays(random, [stable])[0])).toEqual([0, 15_000, 29_970])
})

it('doubles from 1 s and stays below a minute', () => {
  expect(
    delays(
      0,
      Array.from({ length: 8 }, () => broken),
    ),
  ).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 50_000, 50_000])
  expect(delays(1, [broken, broken])).toEqual([500, 1000])
})

it('goes on where it was after a session that held for less than a minute', () => {
  const short = { ...broken, stableMs: 59_999 }
  expect(delays(0, [broken, broken, short, broken])).toEqual([1000, 2000, 4000, 8000])
})

it('begins again after a stable session', () => {
  const stable = { ...broken, stableMs: 61_000 }
  expect(delays(0, [broken, broken, stable, broken])).toEqual([1000, 2000, 0, 1000])
})

it('waits at least what the server asked for, and never longer than about ten minutes', () => {
  expect(delays(0, [asked(7000), asked(1e12)])).toEqual([7000, 600_000])
  expect(delays(1, [asked(7000)])[0]).toBeCloseTo(7700)
})

it('tries slowly while the control plane cannot speak with this version', () => {
  expect(delays(0, [{ ...broken, code: closeCodes.needsUpgrade }])).toEqual([300_000])
})

it('makes at most 30 attempts in 5 minutes whatever the dice say, while every hello is refused', () => {
  const backoff = new Backoff(() => 1)
  let attempts = 1
  for (let at = 0; at < 300_000; attempts++)
    at += backoff.delay({ ...broken, code: closeCodes.unauthenticated }, 30_000)
  expect(attempts).toBeLessThanOrEqual(30)
})
