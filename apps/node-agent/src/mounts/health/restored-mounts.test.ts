import { expect, it } from 'vitest'
import { TestClock } from '@roost/testing'
import { createRestoredMounts } from './restored-mounts.js'
import type { RestoredMount } from './restored-mounts.js'

it('hands over ten restored mounts of each share in an hour, with the reason that was given', async () => {
  const clock = new TestClock(7_000)
  const restored = createRestoredMounts(clock)
  const heard: RestoredMount[] = []
  restored.explain(1, 'The mount did not answer.')
  restored.record(1)
  restored.listen((mount) => heard.push(mount))
  for (let time = 0; time < 20; time++) restored.record(1)
  restored.record(2)
  expect(heard.slice(0, 2)).toEqual([
    { share: 1, time: 7, reason: 'The mount did not answer.' },
    { share: 1, time: 7, reason: 'Its rclone process was not running.' },
  ])
  expect(heard.filter(({ share }) => share === 1)).toHaveLength(10)
  expect(heard.filter(({ share }) => share === 2)).toHaveLength(1)
  await clock.pass(3_600_000)
  restored.record(1)
  expect(heard).toHaveLength(12)
})
