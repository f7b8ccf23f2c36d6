import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nfsShare } from '@roost/testing/shares'
import { TestClock } from '@roost/testing'
import { mountRecordFile } from '../desired/mount-record.js'
import { mountSpecs } from '../desired/mount-spec.js'
import { MountStore } from '../desired/mount-store.js'
import { Restarts } from './restarts.js'
import { scriptedMounts } from '../testing/scripted-mounts.js'
import { StartedMounts } from './started-mounts.js'

let dir: string
let clock: TestClock
let events: string[]
let openFiles: Map<string, number>
let store: MountStore
let restarts: Restarts
/** Mounts cannot be ended. */
let isBusy: boolean

const shareMounts = scriptedMounts({
  up: async ({ share }) => void events.push(`up ${share}`),
  async down(share) {
    events.push(`down ${share}`)
    if (isBusy) throw new Error('/srv/1 could not be unmounted: busy.')
  },
})

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'roost-restarts-'))
  clock = new TestClock()
  events = []
  isBusy = false
  openFiles = new Map()
  const recordFile = mountRecordFile(join(dir, 'mounts.json'))
  store = await MountStore.read({ recordFile, configFile: join(dir, 'rclone.conf') })
  const storage = { auth_url: 'http://swift/auth/v1.0', user: 'a:b', key: 'c' }
  const settled = mountSpecs({ kind: 'gateway', shares: [nfsShare(1), nfsShare(2)], storage })
  await store.save((record) => ({ ...record, settled }))
  const quiet = () => {}
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
  const mounts = new StartedMounts({ store, shareMounts, onRestored: () => {}, log })
  mounts.servedBy({
    release: async ([share]) => void events.push(`release ${share}`),
    restore: async ([share]) => void events.push(`restore ${share}`),
  })
  restarts = new Restarts({ store, mounts, clientFiles: async () => openFiles, clock, log })
})
afterEach(() => rmSync(dir, { recursive: true }))

const checks = async (times: number) => {
  for (let i = 0; i < times; i++) await restarts.check()
}
const restarted = (share: number) => [`release ${share}`, `down ${share}`, `up ${share}`, `restore ${share}`]

describe('restarts of mounts', () => {
  it('wait until no client has a file open for several checks, and name how many are open', async () => {
    restarts.request(1, 'mount_outdated')
    openFiles.set('/srv/1', 2)
    await checks(5)
    expect([events, restarts.pending()]).toEqual([[], [{ share: 1, reasons: ['mount_outdated'], openFiles: 2 }]])
    openFiles.clear()
    await checks(2)
    openFiles.set('/srv/1', 1)
    await checks(1)
    openFiles.clear()
    await checks(2)
    expect(events).toEqual([])
    await checks(1)
    expect([events, restarts.pending()]).toEqual([restarted(1), []])
  })

  it('come at most once in 10 minutes for a share, and do not keep another one waiting', async () => {
    restarts.request(1, 'one reason')
    await checks(3)
    restarts.request(1, 'another reason')
    restarts.request(2, 'one reason')
    await checks(5)
    expect(events).toEqual([...restarted(1), ...restarted(2)])
    await clock.pass(600_000)
    await checks(1)
    expect(events.slice(8)).toEqual(restarted(1))
  })

  it('are one at a time', async () => {
    restarts.request(1, 'a reason')
    restarts.request(2, 'a reason')
    await checks(3)
    expect(events).toEqual([...restarted(1), ...restarted(2)])
  })

  it('are dropped once the reason has gone, or the share', async () => {
    let isNeeded = true
    openFiles.set('/srv/1', 1)
    restarts.request(1, 'a reason', { isNeeded: async () => isNeeded })
    restarts.request(3, 'a reason')
    await checks(1)
    expect(restarts.pending().map(({ share }) => share)).toEqual([1])
    isNeeded = false
    openFiles.clear()
    await checks(5)
    expect([events, restarts.pending()]).toEqual([[], []])
  })

  it('leave a gateway alone while a deployment goes on', async () => {
    await store.save((record) => ({ ...record, staged: record.settled }))
    restarts.request(1, 'a reason')
    await checks(5)
    expect(events).toEqual([])
    await store.save((record) => ({ ...record, staged: null }))
    await checks(3)
    expect(events).toEqual(restarted(1))
  })

  it('do not wait for open files that the mount does not serve anyway', async () => {
    openFiles.set('/srv/1', 2)
    restarts.request(1, 'cache_out_of_space', { ignoresOpenFiles: true })
    await checks(3)
    expect(events).toEqual(restarted(1))
  })

  it('give a share back to its clients whose mount could not be ended', async () => {
    isBusy = true
    restarts.request(1, 'a reason')
    await checks(3)
    expect(events).toEqual(['release 1', 'down 1', 'restore 1'])
  })
})
