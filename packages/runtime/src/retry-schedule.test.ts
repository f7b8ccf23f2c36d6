import { expect, it } from 'vitest'
import type { Clock } from './clock.js'
import { Tries } from './retry-schedule.js'

it('tries again after 2 s, then after twice as long up to half a minute, and tells a fault once', async () => {
  let nowMs = 0
  const clock: Clock = { now: () => nowMs, monotonic: () => nowMs, after: () => () => {} }
  const tries = new Tries(clock)
  const at: number[] = []
  const told: string[] = []
  let fault: string | null = 'Swift is away.'
  const look = async () => {
    const said = await tries.run('one', async () => {
      at.push(nowMs / 1000)
      if (fault !== null) throw new Error(fault)
    })
    if (said !== undefined) told.push(said)
  }
  for (; nowMs <= 190_000; nowMs += 1000) await look()
  expect(at).toEqual([0, 2, 6, 14, 30, 60, 90, 120, 150, 180])
  expect(tries.fault('one')).toBe('Swift is away.')
  fault = 'The key is wrong.'
  for (; nowMs <= 250_000; nowMs += 1000) await look()
  fault = null
  for (; nowMs <= 310_000; nowMs += 1000) await look()
  expect(told).toEqual(['Swift is away.', 'The key is wrong.'])
  expect(tries.fault('one')).toBeUndefined()
})
