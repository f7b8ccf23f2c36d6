import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InventoryProblem } from '@roost/api-types/agent'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { writeDirtyFile } from '../testing/dirty-file.js'
import { createLog, systemClock } from '@roost/runtime'
import { openMachine } from '../../machine/machine.js'
import { mountAt, readMounts } from '../../machine/mounts.js'
import { runCommand } from '../../machine/run-command.js'
import { readBusyFiles } from './busy-files.js'
import { createCacheScan } from './files/cache-scan.js'
import { createRequeue } from './files/requeue.js'
import { ShareCache } from './share-cache.js'
import { StrandedUploads } from './stranded-uploads.js'
import { hasRclone, patience } from '../testing/real-rclone.js'
import { sampleSpec } from '../testing/sample-spec.js'

const isEnabled = process.env.ROOST_TEST_SYSTEM === '1' && hasRclone

const spec = sampleSpec()

let dir: string
let problems: readonly InventoryProblem[]
let requested: number[]
let cache: ShareCache
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'roost-stranded-'))
  problems = []
  requested = []
  cache = new ShareCache(7, {
    cache: join(dir, 'cache'),
    scan: createCacheScan(runCommand),
    budget: { left: 100 },
    clock: systemClock,
  })
})
afterEach(async () => {
  cache.close()
  await runCommand('umount', [join(dir, 'mount')], { deadlineMs: 30_000 })
  rmSync(dir, { recursive: true, force: true })
})

/** So many seconds after now, with Swift answering since a moment or not at all. */
function open(
  aheadSeconds: () => number,
  answeringSince: () => number | undefined,
  container = 'box',
): StrandedUploads {
  const later = () => aheadSeconds() * 1_000
  return new StrandedUploads({
    mountOf: (share) => (share === 7 ? { ...spec, container } : undefined),
    pathOf: () => join(dir, 'mount'),
    readNames: async () => ({ [join(dir, 'mount')]: 'docs' }),
    readBusy: async () => readBusyFiles(openMachine(), process.pid, join(dir, 'cache')),
    answeringSince,
    requeue: createRequeue(runCommand),
    restarts: {
      request: (share) => void requested.push(share),
      pending: () => requested.map((share) => ({ share, reasons: ['share_not_uploaded'], openFiles: 2 })),
    },
    onProblems: (found) => (problems = found),
    clock: {
      ...systemClock,
      now: () => systemClock.now() + later(),
      monotonic: () => later(),
    },
    log: createLog({ format: 'json', level: 'error', write: () => {} }),
  })
}

const dirty = (name: string) => writeDirtyFile(join(dir, 'cache'), `swift/box/${name}`)

describe('files that nothing uploads', () => {
  it('are a problem with number, size, age and the state of Swift, until they are uploaded', async () => {
    mkdirSync(join(dir, 'mount'))
    dirty('a')
    dirty('b')
    await cache.refresh()
    let ahead = 0
    let since: number | undefined
    const stranded = open(
      () => ahead,
      () => since,
    )
    await stranded.check([cache])
    expect(problems).toEqual([])
    ahead = 90
    await stranded.check([cache])
    expect(problems).toEqual([
      {
        code: 'share_not_uploaded',
        severity: 'warning',
        subject: 'docs',
        value: 2,
        threshold: 0,
        message: expect.stringMatching(
          /^2 files \(6 bytes\) of the share 'docs' are not in Swift; the oldest was last changed at 2.*Z\. Swift does not answer\./,
        ),
        remedy: expect.stringMatching(/^Swift does not answer\./),
      },
    ])
    since = 0
    await stranded.check([cache])
    expect(problems[0]?.message).toMatch(/Swift answers\. The agent is queueing them again\.$/)
    ahead = 1_000
    await stranded.check([cache])
    expect(requested).toEqual([7])
    expect(problems[0]?.message).toMatch(/restart the mount when no client has an open file there \(open now: 2\)\.$/)
    rmSync(join(dir, 'cache/vfsMeta'), { recursive: true })
    await vi.waitFor(async () => {
      await cache.refresh()
      await stranded.check([cache])
      expect(problems).toEqual([])
    }, patience)
  })
})

describe.skipIf(!isEnabled)('a real rclone (as root, with ROOST_TEST_SYSTEM=1 and /dev/fuse)', () => {
  it('uploads a file whose upload failed as soon as it is queued again', { timeout: 300_000 }, async () => {
    for (const name of ['remote/box', 'mount']) mkdirSync(join(dir, name), { recursive: true })
    const log = join(dir, 'log')
    const config = join(dir, 'rclone.conf')
    writeFileSync(config, '[swift]\ntype = local\n')
    const where = [
      `swift:${join(dir, 'remote/box')}`,
      join(dir, 'mount'),
      '--config',
      config,
      '--cache-dir',
      join(dir, 'cache'),
    ]
    const how = ['--vfs-cache-mode', 'full', '--vfs-write-back', '5s', '--log-file', log, '-v']
    const start = ['-c', 'exec setsid --fork "$0" "$@" >/dev/null 2>&1', 'rclone', 'mount', ...where, ...how]
    await runCommand('sh', start, { deadlineMs: 60_000 })
    await vi.waitUntil(() => mountAt(join(dir, 'mount'), readMounts(openMachine())) !== undefined, patience)
    const logged = (text: string) => readFileSync(log, 'utf8').split(text).length - 1
    mkdirSync(join(dir, 'mount/in'))
    expect(readdirSync(join(dir, 'mount/in'))).toEqual([])
    // A file in the place of a folder: no upload into it succeeds.
    renameSync(join(dir, 'remote/box/in'), join(dir, 'remote/away'))
    writeFileSync(join(dir, 'remote/box/in'), '')
    writeFileSync(join(dir, "mount/in/odd 'name"), 'content')
    await vi.waitUntil(() => logged('failed to upload try #1') > 0, patience)
    rmSync(join(dir, 'remote/box/in'))
    renameSync(join(dir, 'remote/away'), join(dir, 'remote/box/in'))
    const queued = logged('queuing for upload')
    await cache.refresh()
    expect(cache.dirty()).toHaveLength(1)
    await open(
      () => 60,
      () => 0,
      // Where rclone caches a folder of this machine.
      join(dir, 'remote/box').slice(1),
    ).check([cache])
    await vi.waitUntil(() => logged('queuing for upload') > queued, patience)
    await vi.waitUntil(() => existsSync(join(dir, "remote/box/in/odd 'name")), patience)
    await vi.waitFor(async () => {
      await cache.refresh()
      expect(cache.dirty()).toEqual([])
    }, patience)
    expect(readFileSync(join(dir, "remote/box/in/odd 'name"), 'utf8')).toBe('content')
  })
})
