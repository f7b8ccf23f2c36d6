import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '@roost/runtime'
import { runCommand } from '@roost/node-agent/dist/machine/run-command.js'
import { createCacheScan } from '@roost/node-agent/dist/mounts/cache/files/cache-scan.js'
import { CacheWatch } from '@roost/node-agent/dist/mounts/cache/cache-watch.js'
import { createShareCounts } from '@roost/node-agent/dist/mounts/cache/files/share-counts.js'
import { cpuSecondsOfAll } from './measure.js'
import { atMost, row } from './report.js'
import type { Row } from './report.js'

const folders = 1_000
const filesPerFolder = 100
const changesPerSecond = 5
const watchedMs = 60_000
/** A scan of everything comes so often. */
const scanEverySeconds = 600

/** Counts what is not in Swift of a share with 100,000 cached files: the agent's CPU, its children's included. */
export async function benchCache(): Promise<readonly Row[]> {
  const dir = mkdtempSync(join(tmpdir(), 'roost-bench-cache-'))
  const cache = join(dir, '1')
  for (let i = 0; i < folders * filesPerFolder; i++) write(cache, i, false)
  const counts = createShareCounts()
  const cpu = () => cpuSecondsOfAll(process.pid)
  const before = cpu()
  const watch = new CacheWatch({
    cacheDirectory: dir,
    shares: () => [1],
    stats: async () => undefined,
    scan: createCacheScan(runCommand),
    counts,
    countLeftovers: () => 0,
    clock: systemClock,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  })
  try {
    while (counts.list().length === 0) await sleep(50)
    const scan = cpu() - before
    const resting = cpu()
    await sleep(watchedMs)
    const rest = ((cpu() - resting) / watchedMs) * 1_000
    const working = cpu()
    const changed = await change(cache)
    const own = changed.cpuSeconds
    const busy = (cpu() - working - own) / changed.seconds
    const share = (perSecond: number) => (perSecond + scan / scanEverySeconds) * 100
    return [
      row('100,000 cached files: one scan', scan, 's CPU', null),
      row('100,000 cached files: counting, at rest', share(rest), '% of a core', atMost(1)),
      row(
        `100,000 cached files: counting, ${changesPerSecond} saved in a second`,
        share(busy),
        '% of a core',
        atMost(1),
      ),
    ]
  } finally {
    await watch.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Files become dirty and clean again; what that takes of our own CPU is no cost of counting. */
async function change(cache: string) {
  const start = performance.now()
  let cpuSeconds = 0
  for (let i = 0; performance.now() - start < watchedMs; i++) {
    const used = process.cpuUsage()
    write(cache, (i * 7_919) % (folders * filesPerFolder), i % 2 === 0)
    const { user, system } = process.cpuUsage(used)
    cpuSeconds += (user + system) / 1e6
    await sleep(1_000 / changesPerSecond)
  }
  return { cpuSeconds, seconds: (performance.now() - start) / 1_000 }
}

function write(cache: string, i: number, isDirty: boolean): void {
  const meta = {
    ModTime: '2026-11-22T23:13:45.6Z',
    Size: 3,
    Rs: [{ Pos: 0, Size: 3 }],
    Fingerprint: '',
    Dirty: isDirty,
  }
  for (const [kind, text] of [
    ['vfs', 'abc'],
    ['vfsMeta', JSON.stringify(meta, null, '\t')],
  ] as const) {
    const folder = join(cache, kind, 'swift/box', String(i % folders))
    if (i < folders) mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `file-${Math.floor(i / folders)}`), text)
  }
}
