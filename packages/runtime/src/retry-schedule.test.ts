import { expect, it } from 'vitest'
import type { Clock } from './clock.js'
import { RetrySchedule } from './retry-schedule.js'

it('retries after 2 s, then after twice as long up to half a minute, and reports a fault once', async () => {
  let nowMs = 0
  const clock: Clock = { now: () => nowMs, monotonic: () => nowMs, after: () => () => {} }
  const schedule = new RetrySchedule(clock)
  const at: number[] = []
  const reported: string[] = []
  let fault: string | null = 'Swift is unavailable.'
  const attempt = async () => {
    const changed = await schedule.run('one', async () => {
      at.push(nowMs / 1000)
      if (fault !== null) throw new Error(fault)
    })
    if (changed !== undefined) reported.push(changed)
  }
  for (; nowMs <= 190_000; nowMs += 1000) await attempt()
  expect(at).toEqual([0, 2, 6, 14, 30, 60, 90, 120, 150, 180])
  expect(schedule.fault('one')).toBe('Swift is unavailable.')
  fault = 'The key is wrong.'
  for (; nowMs <= 250_000; nowMs += 1000) await attempt()
  fault = null
  for (; nowMs <= 310_000; nowMs += 1000) await attempt()
  expect(reported).toEqual(['Swift is unavailable.', 'The key is wrong.'])
  expect(schedule.fault('one')).toBeUndefined()
})
