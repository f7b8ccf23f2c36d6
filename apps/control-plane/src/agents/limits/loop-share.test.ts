import { setImmediate } from 'node:timers/promises'
import { TestClock } from '@roost/testing'
import { expect, it } from 'vitest'
import { LoopShare } from './loop-share.js'

it('messages of agents wait for the next iteration of the event loop once they have used up their part of this one', async () => {
  const share = new LoopShare(new TestClock())
  const waits: boolean[] = []
  for (const cpuMs of [0, 2.9, 0.2, 5]) {
    share.spend(cpuMs, false)
    waits.push(share.wait(false) > 0)
  }
  expect(waits).toEqual([false, false, true, true])
  await setImmediate()
  expect(share.wait(false)).toBe(0)
})

it('expensive nodes wait three times as long as one of them has taken, and others do not wait for them', async () => {
  const clock = new TestClock()
  const share = new LoopShare(clock)
  share.spend(1_000, true)
  await setImmediate()
  expect([share.wait(true), share.wait(false)]).toEqual([3_000, 0])
  await clock.pass(2_999)
  expect(share.wait(true)).toBe(1)
  await clock.pass(1)
  expect(share.wait(true)).toBe(0)
})
