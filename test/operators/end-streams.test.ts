import { endRefusedStreams } from '@roost/control-plane/dist/operators/end-streams.js'
import { TestClock } from '@roost/testing'
import { expect, it, onTestFinished } from 'vitest'

it('a stream goes on until the next check after the end of its key, and ends with it, within the promised five seconds', async () => {
  const clock = new TestClock(1_800_000_000_000)
  const revoked = new Set<number>()
  const ended: number[] = []
  const open = { keys: () => [1, 2].filter((key) => !ended.includes(key)), end: (key: number) => void ended.push(key) }
  const authentication = { refused: async (keys: readonly number[]) => keys.filter((key) => revoked.has(key)) }
  const log = { warn: (fields: unknown) => expect.unreachable(String(fields)) }
  const watch = endRefusedStreams({ open, authentication, log: log as never, clock })
  onTestFinished(() => watch.stop())

  await clock.pass(1_500)
  revoked.add(1)
  await clock.pass(1_499)
  expect(ended).toEqual([])
  await clock.pass(1)
  expect(ended).toEqual([1])
  await clock.pass(60_000)
  expect(ended).toEqual([1])
})
