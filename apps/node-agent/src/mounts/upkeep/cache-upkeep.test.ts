import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createNodeProblems, type NodeProblems } from '../../machine/problems.js'
import { nfsShare } from '@roost/testing/shares'
import { TestClock } from '@roost/testing'
import { sampleCount } from '../testing/sample-counts.js'
import { scriptedMounts } from '../testing/scripted-mounts.js'
import type { RecentlyIncomplete } from '../cache/incomplete-files.js'
import { createShareCounts, type ShareCounts } from '../cache/files/share-counts.js'
import { CacheDiskWatch } from './cache-disk-watch.js'
import { CacheSizes } from './cache-sizes.js'
import { CacheUpkeep } from './cache-upkeep.js'
import { mountRecordFile } from '../desired/mount-record.js'
import { mountSpecs } from '../desired/mount-spec.js'
import { MountStore } from '../desired/mount-store.js'
import { Restarts } from '../started/restarts.js'
import { StartedMounts } from '../started/started-mounts.js'

const gib = 1 << 30

let dir: string
let clock: TestClock
let disk: { totalBytes: number; availableBytes: number }
let problems: NodeProblems
let counts: ShareCounts
let incomplete: Map<number, RecentlyIncomplete>
let failedAtMs: number
let restarts: Restarts
let upkeep: CacheUpkeep
/** Sizes that the running mounts were started with. */
let started: Map<number, number>

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'roost-cache-'))
  clock = new TestClock()
  disk = { totalBytes: 100 * gib, availableBytes: 90 * gib }
  problems = createNodeProblems()
  counts = createShareCounts()
  incomplete = new Map()
  started = new Map([
    [1, 10 * 1024],
    [2, 300],
  ])
  const recordFile = mountRecordFile(join(dir, 'mounts.json'))
  const store = await MountStore.read({ recordFile, configFile: join(dir, 'rclone.conf') })
  const shares = [nfsShare(1), nfsShare(2, { cache_size_mb: 300 })]
  const storage = { auth_url: 'http://swift/auth/v1.0', user: 'a:b', key: 'c' }
  await store.save((record) => ({ ...record, settled: mountSpecs({ kind: 'gateway', shares, storage }) }))
  const cacheSizes = new CacheSizes({ store, disk: { read: async () => disk, close: () => {} } })
  const shareMounts = scriptedMounts({
    hasOtherCacheSize: async (spec) => started.get(spec.share) !== (await cacheSizes.sizeOf(spec)),
    up: async (spec) => void started.set(spec.share, await cacheSizes.sizeOf(spec)),
  })
  const quiet = () => {}
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
  const mounts = new StartedMounts({ store, shareMounts, onRestored: quiet, log })
  restarts = new Restarts({ store, mounts, clientFiles: async () => new Map(), clock, log })
  const cacheDirectory = '/cache'
  const readNames = async () => ({ '/srv/1': 'docs' })
  failedAtMs = -Infinity
  const incompleteFiles = {
    recent: (share: number) => incomplete.get(share),
    get failedAtMs() {
      return failedAtMs
    },
  }
  const common = { store, cacheSizes, counts, incomplete: incompleteFiles, cacheDirectory, problems, clock }
  upkeep = new CacheUpkeep({ ...common, mounts, restarts, disk: new CacheDiskWatch({ ...common, log }), readNames })
})
afterEach(() => rmSync(dir, { recursive: true }))

const found = async () => {
  await clock.pass(15_000)
  await upkeep.check()
  return problems.list().map(({ code, subject }) => `${code} ${subject}`)
}
const count = (share: number, dirtyFiles: number, outOfSpace: number) => sampleCount({ share, dirtyFiles, outOfSpace })

describe('the cache of a gateway', () => {
  it('has no problem while there is space, and is reported nearly full from 90 % on', async () => {
    expect([await found(), restarts.pending()]).toEqual([[], []])
    disk = { ...disk, availableBytes: 10 * gib }
    expect(await found()).toEqual(['cache_nearly_full /cache'])
    disk = { ...disk, availableBytes: 11 * gib }
    expect(await found()).toEqual([])
  })

  it('is small where shares without a size have less than 1 GiB each', async () => {
    disk = { totalBytes: 9 * gib, availableBytes: 9 * gib }
    expect(await found()).toEqual(['cache_small /cache'])
  })

  it('changes its size by a restart of an idle mount, as the disk does', async () => {
    disk = { totalBytes: 200 * gib, availableBytes: 190 * gib }
    await found()
    expect(restarts.pending()).toMatchObject([{ share: 1, reasons: ['cache_size'] }])
    for (let i = 0; i < 3; i++) await restarts.check()
    expect(started).toEqual(
      new Map([
        [1, 20 * 1024],
        [2, 300],
      ]),
    )
    await found()
    expect(restarts.pending()).toEqual([])
  })

  it('without space has its mount restarted once nothing waits, and names what does until then', async () => {
    counts.set([count(1, 3, 1), count(2, 0, 1)])
    expect(await found()).toEqual(['cache_nearly_full /cache', 'cache_out_of_space docs'])
    expect(restarts.pending().map(({ share }) => share)).toEqual([2])
    counts.set([count(1, 0, 1), count(2, 0, 0)])
    await clock.pass(60_000)
    expect(await found()).toEqual([])
    await restarts.check()
    expect(restarts.pending()).toMatchObject([{ share: 1, reasons: ['cache_out_of_space'] }])
  })

  it('says how many files were not written completely, and where they are', async () => {
    incomplete.set(1, { files: 2, last: 'a/b.bin.incomplete-7' })
    expect(await found()).toEqual(['cache_out_of_space docs'])
    expect(problems.list()[0]?.message).toMatch(/ 2 files .*'a\/b\.bin\.incomplete-7'/)
    incomplete.clear()
    expect(await found()).toEqual([])
  })

  it('is never out of space for a share before its disk is reported, by a mount or by a failed write', async () => {
    const reported: (readonly string[])[] = []
    problems.onChange(() => reported.push(problems.list().map(({ code }) => code)))
    await found()
    counts.set([count(1, 3, 1)])
    await upkeep.check()
    expect(reported).toEqual([['cache_nearly_full'], ['cache_nearly_full', 'cache_out_of_space']])
    counts.set([])
    await clock.pass(60_000)
    expect(await found()).toEqual([])
    reported.length = 0
    // While the disk is read.
    disk = {
      totalBytes: 100 * gib,
      get availableBytes() {
        incomplete.set(1, { files: 1, last: 'a.incomplete-7' })
        failedAtMs = clock.monotonic()
        return 90 * gib
      },
    }
    await found()
    expect(reported).toEqual([['cache_nearly_full'], ['cache_nearly_full', 'cache_out_of_space']])
  })
})
