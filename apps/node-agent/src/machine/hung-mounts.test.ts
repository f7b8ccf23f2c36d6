import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '@roost/runtime'
import { createCollectors } from '../collectors/index.js'
import type { Reading } from '../collectors/engine/reading.js'
import { createReadings } from '../collectors/engine/readings.js'
import { slowReaders } from '../collectors/engine/slow-reader.js'
import { testSources } from '../collectors/testing/test-sources.js'
import { createFilesystems } from './filesystems.js'
import type { Filesystems } from './filesystems.js'
import { startHelper } from './helper.js'
import type { StartHelper } from './helper.js'
import { openMachine } from './machine.js'
import type { Machine } from './machine.js'
import { runCommand } from './run-command.js'
import type { RunCommand } from './run-command.js'
import { createStatfsProbe } from './statfs-probe.js'
import type { StatfsProbe } from './statfs-probe.js'

// A mount whose server is dead hangs its caller; so does a pipe without a writer. The probe
// of these tests is `cat`: it reads the values of a mount that answers from a file at its path.
const catAll = [
  'sh',
  '-c',
  'while read -r _; do for path; do echo "$(cat "$path") $path"; done; echo .; done',
  'x',
] as const
const values = '4096 1000 600 500 20 10'

let root: string
let machine: Machine
let probe: StatfsProbe
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'roost-hung-'))
  await mkdir(join(root, 'srv'))
  await mkdir(join(root, 'proc/self'), { recursive: true })
  machine = openMachine(root)
})
afterEach(async () => {
  probe.close()
  await rm(root, { recursive: true })
})

/** Makes so many mounts that hang, and as many that answer, in turn. */
async function makeMounts(hung: number, well: number): Promise<void> {
  const names = Array.from({ length: Math.max(hung, well) }, (_, i) => [
    ...(i < hung ? [`hung${i}`] : []),
    ...(i < well ? [`well${i}`] : []),
  ]).flat()
  const mountinfo = names.map((name, i) => `${i + 2} 1 8:${i} / /srv/${name} rw - xfs /dev/sd${i} rw\n`)
  await writeFile(join(root, 'proc/self/mountinfo'), mountinfo.join(''))
  const pathOf = (name: string): string => join(root, 'srv', name)
  const pipes = names.filter((name) => name.startsWith('hung')).map(pathOf)
  if (pipes.length > 0) execFileSync('mkfifo', pipes)
  await Promise.all(names.filter((name) => name.startsWith('well')).map((name) => writeFile(pathOf(name), values)))
}

/** Watches how many processes ask each mount at the same time. */
function counted(run: RunCommand) {
  const now = new Map<string, number>()
  const seen = { most: 0, started: 0 }
  const asked = new Set<string>()
  const watched: RunCommand = async (file, args, options) => {
    const mount = args.at(-1) ?? ''
    asked.add(mount)
    const asking = (now.get(mount) ?? 0) + 1
    now.set(mount, asking)
    seen.most = Math.max(seen.most, asking)
    seen.started++
    const result = await run(file, args, options)
    void result.ended.then(() => now.set(mount, (now.get(mount) ?? 0) - 1))
    return result
  }
  return { watched, seen, asked }
}

interface Opened {
  readonly monotonic?: () => number
  readonly start?: StartHelper
}

function open(run: RunCommand, deadlineMs: number, { monotonic, start = startHelper }: Opened = {}): Filesystems {
  const path = (path: string) => machine.path(path)
  probe = createStatfsProbe({ run, start, path, command: ['cat'], roundCommand: catAll, deadlineMs })
  return createFilesystems({ machine, probe, ...(monotonic && { monotonic }) })
}

const beatMs = 20
/** Another thread that counts: where the whole machine stands still, it does so too. */
const counting = `
  const beats = require('node:worker_threads').workerData
  setInterval(() => Atomics.add(beats, 0, 1), ${beatMs})`

/** The longest time for which the event loop did not turn while `work` went on, and other threads did. */
async function longestPause<T>(work: Promise<T>): Promise<{ readonly pauseMs: number; readonly result: T }> {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const counter = new Worker(counting, { eval: true, workerData: beats })
  let last = 0
  let most = 0
  const timer = setInterval(() => {
    const now = Atomics.load(beats, 0)
    most = Math.max(most, now - last)
    last = now
  }, beatMs)
  const result = await work
  clearInterval(timer)
  await counter.terminate()
  return { pauseMs: most * beatMs, result }
}

function valuesOf({ metrics, values }: Reading, pattern: RegExp): number[] {
  return metrics.flatMap(({ name }, i) => (pattern.test(name) ? [values[i] ?? Number.NaN] : []))
}

describe.each([4, 8, 64])('%i mounts that hang', (hung) => {
  it('are reported stuck, and cost neither the others nor the heartbeat anything', async () => {
    await makeMounts(hung, 3)
    const { watched, seen } = counted(runCommand)
    // Three seconds in the product; those that answer are to do so in time on a machine with much to do, too.
    const deadlineMs = 4_000
    const filesystems = open(watched, deadlineMs)
    const host = { machine: openMachine(), filesystems }
    const openSlowReader = slowReaders({ machine: host.machine, run: runCommand, start: startHelper })
    const readings = createReadings({
      collectors: createCollectors(testSources),
      host,
      openSlowReader,
      clock: systemClock,
    })

    const { pauseMs, result: first } = await longestPause(readings.read())
    expect(pauseMs).toBeLessThan(deadlineMs)
    expect(valuesOf(first, /^load\.shortterm$/)[0]).toBeGreaterThanOrEqual(0)
    // The agent's own files and look-ups use the threads that a hung mount would have used up.
    expect(await readFile(join(root, 'srv/well0'), 'utf8')).toBe(values)

    // The first that hangs is found by asking all at once, the others one by one.
    let second = first
    const stuck = async () => {
      second = await readings.read()
      return ['hung', 'well'].map((name) => valuesOf(second, new RegExp(`^df\\.srv-${name}\\d+\\.mount_stuck$`)))
    }
    const all = (count: number, value: number): number[] => Array.from({ length: count }, () => value)
    await expect.poll(stuck, { timeout: 90_000, interval: 500 }).toEqual([all(hung, 1), all(3, 0)])
    expect(valuesOf(second, /^df\.srv-well\d+\.df_complex\.used$/)).toEqual(Array.from({ length: 3 }, () => 400 * 4096))
    expect(seen.most).toBe(1)
  })
})

/** What hangs in the kernel outlives its kill: such processes never end for the agent. */
const unkillable: RunCommand = async (file, args, options) => {
  const result = await runCommand(file, args, options)
  return result.outcome === 'timed_out' ? { ...result, ended: new Promise(() => {}) } : result
}

const startUnkillable: StartHelper = (file, args) => ({ ...startHelper(file, args), ended: new Promise(() => {}) })

/** Each starts processes. */
const readings = process.env['ROOST_TEST_LONG'] === '1' ? 1_000 : 200

it(`${readings} readings leave no process, no file and no memory behind`, async () => {
  await makeMounts(4, 1)
  const { watched, seen, asked } = counted(unkillable)
  let now = 0
  let helpers = 0
  const start: StartHelper = (file, args) => {
    helpers++
    return startUnkillable(file, args)
  }
  const filesystems = open(watched, 5_000, { monotonic: () => now, start })
  await filesystems.read()
  now += 60_000
  await filesystems.read()
  const filesBefore = (await readdir('/proc/self/fd')).length
  const memoryBefore = process.memoryUsage.rss()
  for (let i = 0; i < readings; i++) {
    now += 60_000
    await filesystems.read()
  }
  // All together hang in the first mount, which is not asked any more; the others are asked once, and the well one with its like.
  expect(asked).not.toContain(machine.path('/srv/hung0'))
  expect(seen).toEqual({ most: 1, started: 4 })
  expect(helpers).toBe(2)
  expect((await readdir('/proc/self/fd')).length).toBeLessThanOrEqual(filesBefore)
  expect(process.memoryUsage.rss() - memoryBefore).toBeLessThan(30 * 1024 * 1024)
})

it(
  'a mount that hangs again and again has at most one process, which is ended each time',
  { timeout: 120_000 },
  async () => {
    await makeMounts(2, 1)
    const { watched, seen } = counted(runCommand)
    let now = 0
    const filesystems = open(watched, 6_000, { monotonic: () => now })
    for (let i = 0; i < 5; i++) {
      now += 60_000
      const states = (await filesystems.read()).map(({ result }) => result.state)
      expect(states.toSorted()).toEqual(['ok', 'stuck', 'stuck'])
    }
    expect(seen.most).toBe(1)
  },
)

it('never asks a mount over the network or of a FUSE process', async () => {
  await makeMounts(0, 1)
  const others = ['nfs4', 'cifs', 'ceph', 'fuse.rclone', 'fuseblk', 'tmpfs'].map(
    (type, i) => `${i + 90} 1 0:${i} / /srv/${type} rw - ${type} x rw\n`,
  )
  const path = join(root, 'proc/self/mountinfo')
  await writeFile(path, `${await readFile(path, 'utf8')}${others.join('')}`)
  const asked: string[] = []
  const start: StartHelper = (file, args) => {
    asked.push(...args.slice(catAll.length - 1))
    return startHelper(file, args)
  }
  const { watched, seen } = counted(runCommand)
  const read = await open(watched, 3_000, { start }).read()
  expect(read.map(({ filesystem }) => filesystem.mounts[0].mountPoint)).toEqual(['/srv/well0'])
  expect(asked).toEqual([machine.path('/srv/well0')])
  expect(seen.started).toBe(0)
})

it('drops what was unmounted while it was asked, since the answer is of the filesystem below', async () => {
  await makeMounts(0, 2)
  const path = join(root, 'proc/self/mountinfo')
  const [, second = ''] = (await readFile(path, 'utf8')).split('\n')
  const unmounting: StartHelper = (file, args) => {
    writeFileSync(path, `${second}\n`)
    return startHelper(file, args)
  }
  const read = await open(runCommand, 3_000, { start: unmounting }).read()
  expect(read.map(({ filesystem }) => filesystem.mounts[0].mountPoint)).toEqual(['/srv/well1'])
})
