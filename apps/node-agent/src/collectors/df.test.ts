import { expect, it } from 'vitest'
import type { FilesystemReading } from '../machine/filesystems.js'
import type { Mount } from '../machine/mounts.js'
import type { ProbeResult } from '../machine/statfs-probe.js'
import { dfMeasurements, mountName } from './df.js'

it.each([
  ['/', 'root'],
  ['/srv/node/d1', 'srv-node-d1'],
  ['/mnt/my disk.v1,a*', 'mnt-my_disk_v1_a_'],
])('names %s %s', (mountPoint, name) => {
  expect(mountName(mountPoint)).toBe(name)
})

function reading(result: ProbeResult): FilesystemReading {
  const mount: Mount = {
    id: 1,
    parent: 0,
    device: '8:1',
    root: '/',
    mountPoint: '/',
    fsType: 'ext4',
    source: '/dev/sda1',
    readOnly: false,
    kind: 'local',
  }
  return { filesystem: { ...mount, mounts: [mount] }, result }
}

it('counts the used part of the reserve as used, and only the space of other users as free', () => {
  const usage = {
    total_bytes: 52_710_469_632,
    free_bytes: 52_710_469_632 - 21_180_530_688,
    available_bytes: 28_845_584_384,
    inodes: 100,
    freeInodes: 75,
  }
  const values = Object.fromEntries(
    dfMeasurements(reading({ state: 'ok', values: usage })).map(({ name, value }) => [name, value]),
  )
  expect(values['df.root.df_complex.used']).toBe(21_180_530_688)
  expect(values['df.root.df_complex.free']).toBe(28_845_584_384)
  expect(values['df.root.df_complex.reserved']).toBe(usage.free_bytes - usage.available_bytes)
  expect(values['df.root.percent_bytes.used']).toBeCloseTo(42.3389, 4)
  expect(values['df.root.percent_inodes.used']).toBe(25)
})

it('counts a filesystem that claims more free blocks than it has, or has none, as empty, as the control plane does', () => {
  const percentOf = (total: number, free: number, available: number) => {
    const usage = { total_bytes: total, free_bytes: free, available_bytes: available, inodes: 0, freeInodes: 0 }
    const values = dfMeasurements(reading({ state: 'ok', values: usage }))
    return values.find(({ name }) => name.endsWith('percent_bytes.used'))?.value
  }
  expect([percentOf(1000, 1200, 900), percentOf(0, 0, 0), percentOf(1000, 0, -5)]).toEqual([0, 0, 100])
})

it('keeps the names of a mount that hangs or fails, without values', () => {
  const names = (result: ProbeResult) => dfMeasurements(reading(result)).map(({ name }) => name)
  const usage = { total_bytes: 1, free_bytes: 1, available_bytes: 1, inodes: 0, freeInodes: 0 }
  const stuck = dfMeasurements(reading({ state: 'stuck', since: 0, message: '' }))
  expect(stuck.filter(({ value }) => !Number.isNaN(value))).toEqual([
    { name: 'df.root.mount_stuck', unit: 'count', value: 1 },
  ])
  expect(names({ state: 'stuck', since: 0, message: '' })).toEqual(names({ state: 'ok', values: usage }))
  expect(names({ state: 'failed', message: '' })).toEqual(names({ state: 'ok', values: usage }))
})
