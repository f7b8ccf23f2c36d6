import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { LoopShare } from './loop-share.js'

it('messages of agents wait for the next iteration of the event loop once they have used up their part of this one', async () => {
  const share = new LoopShare()
  const waits: boolean[] = []
  for (const cpuMs of [0, 2.9, 0.2, 5]) {
    share.spend(cpuMs)
    waits.push(share.wait() > 0)
  }
  expect(waits).toEqual([false, false, true, true])
  await setImmediate()
  expect(share.wait()).toBe(0)
})
