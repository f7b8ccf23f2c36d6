import { expect, it } from 'vitest'
import { createFilesystems, periodMs } from './filesystems.js'
import type { Machine } from './machine.js'
import type { ProbeResult, StatfsProbe } from './statfs-probe.js'

it('asks a filesystem or two at every report, and many in turn within a minute', () => {
  expect([1, 2, 4, 12, 60].map(periodMs)).toEqual([5_000, 10_000, 20_000, 60_000, 60_000])
})

it('gives the last figures until it is time to ask again', async () => {
  const mountinfo = [1, 2, 3, 4].map((i) => `${i} 0 8:${i} / /srv/d${i} rw - xfs /dev/sd${i} rw\n`).join('')
  const machine = { root: '/', read: () => mountinfo } as unknown as Machine
  let asked = 0
  const failed: ProbeResult = { state: 'failed', message: '' }
  const probe: StatfsProbe = {
    probe: async () => {
      asked++
      return failed
    },
    keepOnly: () => {},
    close: () => {},
  }
  let now = 0
  const filesystems = createFilesystems({ machine, probe, monotonic: () => now })
  const counts: number[] = []
  for (; now <= 40_000; now += 10_000) {
    await filesystems.read()
    counts.push(asked)
  }
  expect(counts).toEqual([4, 4, 8, 8, 12])
})
