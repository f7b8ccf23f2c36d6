import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createNodeProblems, type NodeProblems } from '../../machine/problems.js'
import { nfsShare } from '@roost/testing/shares'
import { TestClock } from '@roost/testing'
import { sampleCount } from '../testing/sample-counts.js'
import { IncompleteFiles } from '../cache/incomplete-files.js'
import { createShareCounts, type ShareCounts } from '../cache/files/share-counts.js'
import { CacheDiskWatch } from './cache-disk-watch.js'
import { CacheSizes } from './cache-sizes.js'
import { mountRecordFile } from '../desired/mount-record.js'
import { cacheFolderOf, mountSpecs } from '../desired/mount-spec.js'
import type { MountSpec } from '../desired/mount-spec.js'
import { MountStore } from '../desired/mount-store.js'

const storage = { auth_url: 'http://swift/auth/v1.0', user: 'a:b', key: 'c' }
const [spec] = mountSpecs({ kind: 'gateway', shares: [nfsShare(1)], storage }) as readonly [MountSpec]
const startMs = new Date(2027, 2, 1, 12, 0, 0).getTime()

let dir: string
let clock: TestClock
/** The part of the disk that is used, at this time of the clock; undefined: it cannot be read. */
let usedNow: () => number | undefined
let readings: number
let log: string[]
let warnings: string[]
let problems: NodeProblems
let counts: ShareCounts
let incomplete: IncompleteFiles
let store: MountStore
let watch: CacheDiskWatch

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'roost-disk-'))
  const recordFile = mountRecordFile(join(dir, 'mounts.json'))
  store = await MountStore.read({ recordFile, configFile: join(dir, 'rclone.conf') })
  await store.save((record) => ({ ...record, settled: [spec] }))
  open()
})
afterEach(() => rmSync(dir, { recursive: true }))

function open(): void {
  clock = new TestClock(startMs)
  ;[usedNow, readings, log, warnings] = [() => 0.1, 0, [], []]
  problems = createNodeProblems()
  counts = createShareCounts()
  const quiet = () => {}
  const common = {
    cacheDirectory: '/cache',
    clock,
    log: { debug: quiet, info: quiet, warn: (message: string) => void warnings.push(message), error: quiet },
  }
  incomplete = new IncompleteFiles({
    ...common,
    mounts: () => [spec],
    pathOf: () => '/srv/1',
    newLines: () => ({ lines: log.splice(0), writtenAtMs: clock.now() }),
    readBusy: async () => new Set(),
    rename: async () => {},
  })
  const read = async () => {
    readings++
    const used = usedNow()
    if (used === undefined) throw new Error('it hangs')
    return { totalBytes: 1e9, availableBytes: (1 - used) * 1e9 }
  }
  const cacheSizes = new CacheSizes({ store, disk: { read, close: () => {} } })
  watch = new CacheDiskWatch({ ...common, store, cacheSizes, counts, incomplete, problems })
}

const messages = () => problems.list().map(({ code, message }) => `${code}: ${message}`)
const isReported = () => problems.list().some(({ code }) => code === 'cache_nearly_full')
/** As the agent does it, each second. */
async function pass(seconds: number): Promise<number> {
  const before = readings
  for (let i = 0; i < seconds; i++) {
    await clock.pass(1_000)
    await incomplete.check()
    await watch.check()
  }
  return readings - before
}
/** In rclone's log. */
function failWrite(): void {
  const at = new Date(clock.now())
  const two = (n: number) => String(n).padStart(2, '0')
  const date = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('/')
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')
  const path = `/cache/1/vfs/${cacheFolderOf(spec)}/a.bin`
  log.push(`${date} ${time} ERROR : IO error: write ${path}: no space left on device`)
}
const count = (outOfSpace: number) => sampleCount({ dirtyFiles: 1, outOfSpace })

describe('the disk of the caches', () => {
  it('is read each 15 s, and each 5 s from half of it on, while nothing fills it', async () => {
    expect(await pass(600)).toBe(40)
    usedNow = () => 0.49
    await pass(30)
    expect(await pass(600)).toBe(40)
    usedNow = () => 0.6
    await pass(30)
    expect(await pass(600)).toBe(120)
    usedNow = () => 0.95
    await pass(30)
    expect(await pass(600)).toBe(120)
  })

  it('is not read while there are no shares, and then at once', async () => {
    usedNow = () => 0.95
    await pass(1)
    expect(isReported()).toBe(true)
    await store.save((record) => ({ ...record, settled: [] }))
    expect([await pass(600), isReported()]).toEqual([0, false])
    await store.save((record) => ({ ...record, settled: [spec] }))
    expect([await pass(1), isReported()]).toEqual([1, true])
  })

  it('is reported before it is full when its rest takes 20 s or longer to fill, by at most one reading a second', async () => {
    const fill = fc.record({
      idleSeconds: fc.integer({ min: 1, max: 40 }),
      offsetMs: fc.integer({ min: 0, max: 999 }),
      fillSeconds: fc.oneof(fc.integer({ min: 20, max: 60 }), fc.integer({ min: 60, max: 600 })),
      from: fc.double({ min: 0, max: 0.85, noNaN: true }),
    })
    await fc.assert(
      fc.asyncProperty(fill, async ({ idleSeconds, offsetMs, fillSeconds, from }) => {
        open()
        const beginMs = startMs + idleSeconds * 1_000 + offsetMs
        const filled = () => Math.max(0, clock.now() - beginMs) / 1_000 / fillSeconds
        usedNow = () => Math.min(1, from + (1 - from) * filled())
        await pass(idleSeconds)
        while (!isReported() && filled() < 1) expect(await pass(1)).toBeLessThanOrEqual(1)
        expect([isReported(), filled() < 1]).toEqual([true, true])
      }),
      { numRuns: 300 },
    )
  })

  it('is read at once when a write found no space, and reported also if it has some again', async () => {
    await pass(2)
    usedNow = () => 0.97
    failWrite()
    expect([await pass(1), messages()]).toEqual([1, [expect.stringContaining('/cache is 97 % full')]])
    expect(problems.list()).toMatchObject([{ value: 97, threshold: 90 }])
    usedNow = () => 0.4
    await pass(5)
    expect(messages()).toEqual([
      expect.stringMatching(/^cache_nearly_full: .* had no space left .* within the last minute; now it is 40 % full/),
    ])
    await pass(60)
    expect(messages()).toEqual([])
  })

  it('is not read again and again while writes fail and it is known to be full', async () => {
    usedNow = () => 1
    await pass(30)
    const before = readings
    for (let i = 0; i < 60; i++) {
      failWrite()
      await pass(1)
    }
    expect([readings - before, isReported()]).toEqual([12, true])
  })

  it('is not reported for what an earlier agent found in the log', async () => {
    failWrite()
    await clock.pass(600_000)
    await pass(1)
    expect(messages()).toEqual([])
  })

  it('is read and reported at once when a mount reports that it has no space, once for each time', async () => {
    counts.set([count(0)])
    await pass(3)
    counts.set([count(1)])
    expect([await pass(1), isReported()]).toEqual([1, true])
    await pass(60)
    expect(isReported()).toBe(false)
    counts.set([count(0)])
    await pass(1)
    counts.set([count(1)])
    await pass(1)
    expect(isReported()).toBe(true)
  })

  it('remains as it was reported while it cannot be read, which is logged once', async () => {
    usedNow = () => 0.95
    await pass(1)
    usedNow = () => undefined
    expect([await pass(60), isReported(), watch.isKnown]).toEqual([12, true, false])
    expect(warnings).toEqual(['could not read the disk of the cache'])
    usedNow = () => 0.1
    await pass(5)
    expect([isReported(), watch.isKnown]).toEqual([false, true])
  })
})
