import type { DiskSpace } from '@roost/runtime'
import { TestClock } from '@roost/testing'
import { expect, it } from 'vitest'
import { createNodeProblems } from '../machine/problems.js'
import { watchDataDir } from './data-dir.js'

it('a data directory that is nearly full is a problem of the node until it has space again', async () => {
  const clock = new TestClock()
  const problems = createNodeProblems()
  let space: DiskSpace = { totalBytes: 2e9, availableBytes: 199e6 }
  const quiet = () => {}
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
  const reader = { read: async () => space, close: quiet }
  const watch = watchDataDir({ dataDir: '/var/lib/roost-agent', problems, clock, log, reader })
  await clock.pass(0)
  expect(problems.list()).toEqual([
    {
      code: 'data_dir_nearly_full',
      severity: 'critical',
      subject: '/var/lib/roost-agent',
      message: expect.stringMatching(/^The disk of \/var\/lib\/roost-agent has only 199 MB left\./),
      remedy: 'Remove other files from this disk, or enlarge it.',
      value: 199e6,
      threshold: 200e6,
    },
  ])
  space = { ...space, availableBytes: 201e6 }
  await clock.pass(60_000)
  expect(problems.list()).toEqual([])
  await watch.stop()
})
