import { expect, it } from 'vitest'
import { createFilesystems } from './filesystems.js'
import type { Machine } from './machine.js'
import type { ProbeResult, StatfsProbe } from './statfs-probe.js'

const lineOf = (id: number, device: number) => `${id} 0 8:${device} / /srv/d${device} rw - xfs /dev/sd${device} rw\n`

let mountinfo = ''
let now = 0
let asked: string[] = []
let answer: (mountPoint: string) => ProbeResult

function open() {
  const machine = { root: '/', read: () => mountinfo } as unknown as Machine
  const probe: StatfsProbe = {
    probe: async ({ mountPoint }) => answer(mountPoint),
    probeAll: async (mounts) => {
      asked.push(...mounts.map(({ mountPoint }) => mountPoint))
      return mounts.map(({ mountPoint }) => answer(mountPoint))
    },
    keepOnly: () => {},
    close: () => {},
  }
  mountinfo = lineOf(21, 1) + lineOf(22, 2)
  now = 0
  asked = []
  return createFilesystems({ machine, probe, monotonic: () => now })
}

/** Looks at the mounts every so often, and answers how many were asked up to each look. */
async function countsEvery(ms: number, count: number): Promise<readonly number[]> {
  const filesystems = open()
  const counts: number[] = []
  for (let i = 0; i < count; i++) {
    await filesystems.read()
    counts.push(asked.length)
    now += ms
  }
  return counts
}

it('asks every filesystem at each report, and another caller in between gets the same values', async () => {
  answer = () => ({ state: 'failed', message: '' })
  expect(await countsEvery(10_000, 4)).toEqual([2, 4, 6, 8])
  expect(await countsEvery(5_000, 5)).toEqual([2, 2, 4, 4, 6])
})

it('asks one that hangs once a minute', async () => {
  answer = (path) => (path === '/srv/d1' ? { state: 'stuck', since: 0, message: '' } : { state: 'failed', message: '' })
  expect(await countsEvery(10_000, 8)).toEqual([2, 3, 4, 5, 6, 7, 9, 10])
})

it('is one question for all who ask at the same time', async () => {
  answer = () => ({ state: 'failed', message: '' })
  const filesystems = open()
  const [one, other] = await Promise.all([filesystems.read(), filesystems.read()])
  expect(one).toBe(other)
  expect(asked).toEqual(['/srv/d1', '/srv/d2'])
})

it('asks a disk that took the place of another at the next look, though the kernel gave it the same number', async () => {
  answer = (message) => ({ state: 'failed', message })
  const filesystems = open()
  await filesystems.read()
  mountinfo = lineOf(21, 1) + lineOf(22, 3)
  const read = await filesystems.read()
  expect(asked).toEqual(['/srv/d1', '/srv/d2', '/srv/d3'])
  expect(read.map(({ result }) => result)).toEqual([answer('/srv/d1'), answer('/srv/d3')])
})
