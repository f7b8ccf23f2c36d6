import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { slowReaders } from '../collectors/engine/slow-reader.js'
import { readConfig } from '../config.js'
import { createFilesystems } from '../machine/filesystems.js'
import { startHelper } from '../machine/helper.js'
import { kernelOf, openMachine } from '../machine/machine.js'
import { runCommand } from '../machine/run-command.js'
import type { RunCommand } from '../machine/run-command.js'
import { createStatfsProbe } from '../machine/statfs-probe.js'
import { createNodeProblems, type NodeProblems } from '../machine/problems.js'
import { createServiceList } from '../swift/services/service-list.js'
import { TestClock } from '@roost/testing'
import { createInventories, type Inventories } from './inventories.js'

const lab = fileURLToPath(new URL('fixtures/lab', import.meta.url))

let root: string
let clock: TestClock
let inventories: Inventories
let problems: NodeProblems
beforeEach(() => {
  problems = createNodeProblems()
  root = mkdtempSync(join(tmpdir(), 'roost-root-'))
  clock = new TestClock()
})
afterEach(async () => {
  await inventories.close()
  rmSync(root, { recursive: true, force: true })
})

/** A machine with much to do takes seconds to start a process. */
const patient: RunCommand = (file, args, options) => runCommand(file, args, { ...options, deadlineMs: 50_000 })

function open(config: object, run: RunCommand = patient): Inventories {
  writeFileSync(join(root, 'config.json'), JSON.stringify({ root, ...config }))
  const machine = openMachine(root)
  const probe = createStatfsProbe({ run, path: (path) => machine.path(path) })
  const filesystems = createFilesystems({ machine, probe, monotonic: clock.monotonic })
  inventories = createInventories({
    config: readConfig({ dataDir: root }, {}),
    machine,
    run,
    start: startHelper,
    openSlowReader: slowReaders({ machine: kernelOf(machine), run, start: startHelper, deadlineMs: 45_000 }),
    filesystems,
    askRecon: async () => undefined,
    problems,
    services: createServiceList(clock),
    clock,
  })
  return inventories
}

function mounts(lines: readonly string[]): void {
  mkdirSync(join(root, 'proc/self'), { recursive: true })
  writeFileSync(join(root, 'proc/self/mountinfo'), lines.map((line, i) => `${i + 30} 1 ${line}`).join('\n'))
}

/** A process that sleeps stands for one that a dead disk holds. */
const hanging: RunCommand = async (file, args, options) =>
  args.at(-1)?.endsWith('/data/hung')
    ? runCommand('sleep', ['60'], { ...options, deadlineMs: Math.min(options.deadlineMs, 200) })
    : patient(file, args, options)

const one = { devices: [{ name: 'd1', mount_point: '/data/1' }] }
const mounted = '8:1 / /data/1 rw - xfs /dev/sda1 rw'

describe('device usage', () => {
  it('are of every device of the last inventory', async () => {
    mkdirSync(join(root, 'data/1'), { recursive: true })
    mounts([mounted])
    open({ devices: [...one.devices, { name: 'd2', mount_point: '/data/2' }] })
    const { devices } = await inventories.read()
    const total = devices?.[0]?.figures?.total_bytes
    expect(total).toBeGreaterThan(0)
    expect(await inventories.usage()).toEqual([
      { key: '/data/1', status: 'ok', figures: expect.objectContaining({ total_bytes: total }) },
      { key: '/data/2', status: 'missing', figures: null },
    ])
  })

  it('are left out where another filesystem is mounted than the inventory said', async () => {
    mkdirSync(join(root, 'data/1'), { recursive: true })
    mounts([mounted])
    open(one)
    await inventories.read()
    mounts(['8:99 / /data/1 rw - xfs /dev/sdz1 rw'])
    expect(await inventories.usage()).toEqual([])
  })

  it('say that a device was unmounted, and ask for an inventory', async () => {
    mkdirSync(join(root, 'data/1'), { recursive: true })
    mounts([mounted])
    open(one)
    await inventories.read()
    let changes = 0
    inventories.onChange(() => changes++)
    mounts([])
    expect(await inventories.usage()).toEqual([{ key: '/data/1', status: 'unmounted', figures: null }])
    expect(await inventories.usage()).toHaveLength(1)
    expect(changes).toBe(1)
  })

  it('stay those of the last good devices while a ring is damaged', async () => {
    cpSync(lab, root, { recursive: true })
    open({ swift: { addresses: ['127.0.2.2'] } })
    await inventories.read()
    truncateSync(join(root, 'etc/swift/object.ring.gz'), 20)
    expect((await inventories.read()).devices).toBeNull()
    expect((await inventories.usage()).map(({ key }) => key)).toEqual([
      '127.0.2.2:6200/d3',
      '127.0.2.2:6200/d4',
      '127.0.2.2:6200/d5',
    ])
  })
})

describe('a disk that hangs', () => {
  it('fails, is reported, and harms no other device', async () => {
    mkdirSync(join(root, 'data/1'), { recursive: true })
    mounts([mounted, '8:2 / /data/hung rw - xfs /dev/sdb1 rw'])
    open({ devices: [...one.devices, { name: 'hung', mount_point: '/data/hung' }] }, hanging)
    const { devices, problems } = await inventories.read()
    expect(devices?.map(({ name, status }) => [name, status])).toEqual([
      ['d1', 'ok'],
      ['hung', 'failed'],
    ])
    expect(problems).toEqual([expect.objectContaining({ code: 'mount_stuck', subject: '/data/hung' })])
    expect((await inventories.usage()).map(({ status }) => status)).toEqual(['ok', 'failed'])
  })
})

describe('an inventory that the end cuts short', () => {
  it('is none: a disk that was not waited for has not failed', async () => {
    mounts(['8:2 / /data/hung rw - xfs /dev/sdb1 rw'])
    open({ devices: [{ name: 'hung', mount_point: '/data/hung' }] }, hanging)
    const reading = inventories.read().catch((error: unknown) => error)
    await inventories.close()
    expect(await reading).toEqual(new Error('The agent is stopping.'))
  })
})

describe('a change of the machine', () => {
  it('is reported once: a ring, a mount, a disk', async () => {
    cpSync(lab, root, { recursive: true })
    mounts([])
    open({})
    await inventories.read()
    let changes = 0
    inventories.onChange(() => changes++)
    const countChanges = async (): Promise<number> => {
      changes = 0
      await clock.pass(10_000)
      await clock.pass(10_000)
      return changes
    }
    expect(await countChanges()).toBe(0)
    renameSync(join(root, 'etc/swift/object-1.ring.gz'), join(root, 'etc/swift/object-2.ring.gz'))
    expect(await countChanges()).toBe(1)
    mounts([mounted])
    expect(await countChanges()).toBe(1)
    writeFileSync(join(root, 'proc/partitions'), 'major minor  #blocks  name\n\n   8       16       1024 sdb\n')
    expect(await countChanges()).toBe(1)
    mounts([mounted, '0:30 / /run rw - tmpfs tmpfs rw'])
    expect(await countChanges()).toBe(0)
  })

  it('is not reported after unsubscribing', async () => {
    mounts([])
    open({})
    let changes = 0
    inventories.onChange(() => changes++)()
    mounts([mounted])
    await clock.pass(10_000)
    expect(changes).toBe(0)
  })

  it('is also that a supervisor reports a problem, which the next inventory has', async () => {
    open(one)
    const changes: string[] = []
    inventories.onChange((change) => changes.push(change))
    const problem = { code: 'mount_outdated', subject: 'docs', message: 'The mount has old arguments.' }
    problems.set('mounts', [problem])
    expect((await inventories.read()).problems).toContainEqual(problem)
    problems.set('mounts', [{ ...problem, message: 'Another message.' }])
    expect(changes).toEqual(['problems', 'messages'])
  })
})

describe('the hardware', () => {
  let reads: number
  const model = () => `model ${reads}`
  /** What the process that reads the hardware prints. */
  const scripted: RunCommand = async (file, args, options) => {
    if (!args.at(-1)?.endsWith('hardware-main.js')) return patient(file, args, options)
    reads++
    const value = { vendor: model(), version: null, release_date: null }
    const stdout = `${JSON.stringify({ name: 'bios', value, unavailable: {} })}\n`
    return { outcome: 'exited', exitCode: 0, stdout, stderr: '', ended: Promise.resolve() }
  }
  beforeEach(() => (reads = 0))

  /** The root has the kernel of this machine. */
  function shareKernel(): void {
    const bootId = 'proc/sys/kernel/random/boot_id'
    mkdirSync(join(root, bootId, '..'), { recursive: true })
    writeFileSync(join(root, bootId), readFileSync(join('/', bootId)))
  }
  function addDisk(name: string): void {
    mkdirSync(join(root, 'sys/block', name, 'device'), { recursive: true })
    writeFileSync(join(root, 'sys/block', name, 'size'), '2048\n')
  }

  it('is in the inventory from the time it was read on', async () => {
    shareKernel()
    open({}, scripted)
    let changes = 0
    inventories.onChange(() => changes++)
    expect(await inventories.read()).not.toHaveProperty('hardware')
    await Promise.all([inventories.readHardware(), inventories.readHardware()])
    expect([reads, changes]).toEqual([1, 1])
    expect((await inventories.read()).hardware).toMatchObject({
      read_at: clock.now() / 1_000,
      bios: { vendor: 'model 1' },
      cpu: null,
      unavailable: { cpu: expect.any(String) },
    })
  })

  it('is read again when the disks change', async () => {
    shareKernel()
    addDisk('sda')
    open({}, scripted)
    await inventories.readHardware()
    await inventories.read()
    await inventories.read()
    expect(reads).toBe(1)
    addDisk('sdb')
    const changed = new Promise<void>((resolve) => inventories.onChange(() => resolve()))
    expect((await inventories.read()).hardware?.bios?.vendor).toBe('model 1')
    await changed
    expect((await inventories.read()).hardware?.bios?.vendor).toBe('model 2')
  })

  it('is not read where the root is not that of the machine below', async () => {
    open({}, scripted)
    await inventories.readHardware()
    expect([reads, (await inventories.read()).hardware]).toEqual([0, undefined])
  })
})
