import { expect, it } from 'vitest'
import { createFilesystems } from './filesystems.js'
import type { Machine } from './machine.js'
import type { ProbeResult, StatfsProbe } from './statfs-probe.js'

it('gives the last figures until a minute is up, and then asks again', async () => {
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
  for (; now <= 120_000; now += 30_000) {
    await filesystems.read()
    counts.push(asked)
  }
  expect(counts).toEqual([4, 4, 8, 8, 12])
})
