import { beforeEach, describe, expect, it } from 'vitest'
import type { ProbeResult } from '../../machine/statfs-probe.js'
import { TestClock } from '@roost/testing'
import { watchHungMounts } from './hung-mounts.js'

const values = { total_bytes: 1, free_bytes: 1, available_bytes: 1, inodes: 0, freeInodes: 0 }
const well: ProbeResult = { state: 'ok', values }
const stuck: ProbeResult = { state: 'stuck', since: 0, message: 'has not answered' }
const gone: ProbeResult = {
  state: 'failed',
  message: "stat: cannot stat '/srv/1': Transport endpoint is not connected",
}

let result: ProbeResult
let isAnswering: boolean
let killed: number[]
let clock: TestClock
beforeEach(() => {
  result = well
  isAnswering = true
  killed = []
  clock = new TestClock()
})

function watch() {
  return watchHungMounts({
    mounts: () => [
      { share: 1, id: 7, mountPoint: '/srv/1' },
      { share: 2, id: 8, mountPoint: '/srv/2' },
    ],
    probe: {
      probe: async () => well,
      probeAll: async () => [result, well],
      keepOnly: () => {},
      close: () => {},
    },
    isAnswering: async () => isAnswering,
    kill: async (share) => void killed.push(share),
    onHung: () => {},
    clock,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  })
}

describe('a mount', () => {
  it('hangs when neither it nor its program answers, or when its program has dropped it', async () => {
    const hung = watch()
    await clock.pass(30_000)
    expect(killed).toEqual([])
    ;[result, isAnswering] = [stuck, false]
    await clock.pass(3_000)
    expect(killed).toEqual([1])
    result = well
    await clock.pass(3_000)
    ;[result, isAnswering] = [gone, true]
    await clock.pass(3_000)
    expect(killed).toEqual([1, 1])
    await hung.stop()
  })

  it('has a while to answer when its program does', async () => {
    const hung = watch()
    result = stuck
    await clock.pass(6_000)
    result = well
    await clock.pass(3_000)
    result = stuck
    await clock.pass(6_000)
    expect(killed).toEqual([])
    await clock.pass(6_000)
    expect(killed).toEqual([1])
    await hung.stop()
  })
})
