import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createNodeProblems } from '../../machine/problems.js'
import { nfsShare } from '@roost/testing/shares'
import { ampleCache } from '../testing/ample-cache.js'
import { TestClock } from '@roost/testing'
import { scriptedMounts } from '../testing/scripted-mounts.js'
import type { DiskSpace } from '@roost/runtime'
import { CacheSizes } from './cache-sizes.js'
import { mountRecordFile } from '../desired/mount-record.js'
import { MountStore } from '../desired/mount-store.js'
import type { GatewayState } from '../desired/mounts.js'
import { RcloneMounts } from '../rclone-mounts.js'

const mebibyte = 1 << 20
const diskOf = (megabytes: number): DiskSpace => ({
  totalBytes: megabytes * mebibyte,
  availableBytes: megabytes * mebibyte,
})
const small = diskOf(600)
const large = diskOf(20 * 1024)

let dir: string
/** Null: it cannot be read. */
let disk: DiskSpace | null
let readings: number
/** Megabytes of cache that mounts were started with, by share. */
let started: Map<number, number>
let mounts: RcloneMounts

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'roost-new-share-'))
  ;[disk, readings, started] = [large, 0, new Map()]
  const recordFile = mountRecordFile(join(dir, 'mounts.json'))
  const store = await MountStore.read({ recordFile, configFile: join(dir, 'rclone.conf') })
  const read = async () => {
    readings++
    if (disk === null) throw new Error('Could not read the disk of the cache: it hangs.')
    return disk
  }
  const cacheSizes = new CacheSizes({ store, disk: { read, close: () => {} } })
  const shareMounts = scriptedMounts({
    isUp: async ({ share }) => started.has(share),
    up: async (spec) => void started.set(spec.share, await cacheSizes.sizeOf(spec)),
    down: async (share) => void started.delete(share),
  })
  const quiet = () => {}
  mounts = new RcloneMounts({
    store,
    ...ampleCache(store),
    cacheSizes,
    shareMounts,
    requireProgram: async () => {},
    checkLogin: async () => {},
    clientFiles: async () => new Map(),
    problems: createNodeProblems(),
    readNames: async () => ({}),
    findMissingContainers: async () => new Set(),
    onRestored: quiet,
    clock: new TestClock(),
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  })
})
afterEach(() => rmSync(dir, { recursive: true }))

const desired: GatewayState = {
  kind: 'gateway',
  shares: [nfsShare(1)],
  storage: { auth_url: 'http://swift/auth/v1.0', user: 'a:b', key: 'c' },
}

describe('the cache of a new share', () => {
  it('is refused or sized by the disk as it is now, in the plan and at the start of its mount', async () => {
    disk = small
    await expect(mounts.plan(desired)).rejects.toThrow('The disk of the cache has 600 MB')
    disk = large
    expect((await mounts.plan(desired)).started).toEqual(['/srv/1'])
    disk = small
    await expect(mounts.start(desired)).rejects.toThrow('The disk of the cache has 600 MB')
    expect(started.size).toBe(0)
    disk = large
    await mounts.start(desired)
    expect([...started]).toEqual([[1, 2048]])
  })

  it('is sized by the last reading when the disk cannot be read, and refused when there is none', async () => {
    disk = null
    await expect(mounts.plan(desired)).rejects.toThrow('Could not read')
    disk = large
    await mounts.plan(desired)
    disk = null
    await mounts.start(desired)
    expect([...started]).toEqual([[1, 2048]])
  })

  it('alone has the disk read: a plan without a new share does not', async () => {
    await mounts.start(desired)
    await mounts.settle()
    const before = readings
    await mounts.plan(desired)
    expect(readings).toBe(before)
  })
})
