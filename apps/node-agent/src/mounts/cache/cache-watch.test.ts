import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLog, systemClock } from '@roost/runtime'
import { createShares } from '../../collectors/shares.js'
import { runCommand } from '../../machine/run-command.js'
import type { CacheStats } from '../rclone/remote-control.js'
import { createCacheScan } from './files/cache-scan.js'
import { CacheWatch } from './cache-watch.js'
import { createShareCounts } from './files/share-counts.js'
import type { ShareCounts } from './files/share-counts.js'

const patience = { timeout: 90_000, interval: 50 }
const stats: CacheStats = {
  files: 5,
  bytesUsed: 700,
  uploadsInProgress: 1,
  uploadsQueued: 2,
  erroredFiles: 3,
  outOfSpace: true,
}

let dir: string
let counts: ShareCounts
let watch: CacheWatch
let lines: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'roost-caches-'))
  counts = createShareCounts()
  lines = ''
})
afterEach(async () => {
  await watch.close()
  rmSync(dir, { recursive: true })
})

function write(share: number, name: string, isDirty: boolean): void {
  for (const [folder, text] of [
    ['vfs', 'abc'],
    ['vfsMeta', JSON.stringify({ Dirty: isDirty }, null, '\t')],
  ] as const) {
    const path = join(dir, String(share), folder, 'swift/docs', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    // A client sets the time of its original.
    utimesSync(path, 1, 1)
  }
}

function open(answer: (share: number) => Promise<CacheStats | undefined>, watches = 100): void {
  watch = new CacheWatch({
    cacheDirectory: dir,
    shares: () => [7],
    stats: answer,
    scan: createCacheScan(runCommand),
    counts,
    countLeftovers: (share) => (share === 9 ? 4 : 0),
    clock: systemClock,
    log: createLog({ format: 'json', level: 'warn', write: (line) => (lines += line) }),
    watches,
  })
}

describe('counts of shares', () => {
  it('are metrics of each share that is mounted, has dirty files or leftovers of renames', async () => {
    write(7, 'a', true)
    write(7, 'b', false)
    write(8, 'left', true)
    write(9, 'uploaded', false)
    mkdirSync(join(dir, 'lost+found'))
    open(async () => stats)
    await vi.waitUntil(() => counts.list().length > 0, patience)
    const measured = await createShares(counts).read({} as never)
    const values = Object.fromEntries(measured.map(({ name, value }) => [name, value]))
    expect(values).toEqual({
      'share.7.dirty_files': 1,
      'share.7.dirty_bytes': 3,
      'share.7.oldest_dirty_seconds': expect.any(Number),
      'share.7.cache_bytes': 700,
      'share.7.uploads_queued': 3,
      'share.7.upload_errors': 3,
      'share.7.out_of_space': 1,
      'share.7.leftover_files': 0,
      'share.8.dirty_files': 1,
      'share.8.dirty_bytes': 3,
      'share.8.oldest_dirty_seconds': expect.any(Number),
      'share.8.cache_bytes': Number.NaN,
      'share.8.uploads_queued': Number.NaN,
      'share.8.upload_errors': Number.NaN,
      'share.8.out_of_space': Number.NaN,
      'share.8.leftover_files': 0,
      'share.9.dirty_files': 0,
      'share.9.dirty_bytes': 0,
      'share.9.oldest_dirty_seconds': 0,
      'share.9.cache_bytes': Number.NaN,
      'share.9.uploads_queued': Number.NaN,
      'share.9.upload_errors': Number.NaN,
      'share.9.out_of_space': Number.NaN,
      'share.9.leftover_files': 4,
    })
    expect(values['share.7.oldest_dirty_seconds']).toBeLessThan(patience.timeout / 1_000)
  })

  it('have no values of a mount that does not answer, and report when the kernel has no watches left', async () => {
    write(7, 'a', true)
    open(async () => undefined, 1)
    await vi.waitUntil(() => counts.list().length > 0, patience)
    expect(counts.list()).toMatchObject([{ share: 7, dirtyFiles: 1, cacheBytes: Number.NaN }])
    await vi.waitUntil(() => lines.includes('fs.inotify.max_user_watches'), patience)
  })
})
