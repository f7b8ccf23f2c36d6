import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { systemClock } from '@roost/runtime'
import { createFilesystems } from '../machine/filesystems.js'
import { startHelper } from '../machine/helper.js'
import { openMachine } from '../machine/machine.js'
import { runCommand } from '../machine/run-command.js'
import { createStatfsProbe } from '../machine/statfs-probe.js'
import { mountName } from './df.js'
import { createCollectors } from './index.js'
import type { Reading } from './engine/reading.js'
import { createReadings } from './engine/readings.js'
import { slowReaders } from './engine/slow-reader.js'
import { testSources } from './testing/test-sources.js'

const machine = openMachine()
const filesystems = createFilesystems({ machine, probe: createStatfsProbe({ run: runCommand, deadlineMs: 50_000 }) })
const readings = createReadings({
  collectors: createCollectors(testSources),
  host: { machine, filesystems },
  openSlowReader: slowReaders({ machine, run: runCommand, start: startHelper, deadlineMs: 50_000 }),
  clock: systemClock,
})
let reading: Reading

const value = (name: string): number => {
  const at = reading.metrics.findIndex((metric) => metric.name === name)
  if (at === -1) throw new Error(`There is no metric ${name}`)
  return reading.values[at] ?? Number.NaN
}
const failed = () =>
  reading.metrics.filter(({ name }) => name.endsWith('.success') && value(name) !== 1).map(({ name }) => name)

/** Returns bytes as reported by `df`. */
function df(mountPoint: string): { readonly used: number; readonly available: number } {
  const output = execFileSync('df', ['-B1', '--output=used,avail', mountPoint], { encoding: 'utf8' })
  const [used = 0, available = 0] = output.split('\n')[1]?.trim().split(/\s+/).map(Number) ?? []
  return { used, available }
}
const proc = (file: string): string => readFileSync(`/proc/${file}`, 'utf8')

describe('the machine that this runs on', () => {
  afterAll(() => readings.close())
  beforeAll(async () => {
    await readings.read()
    // A reading waits a quarter of a second for processes, which a busy machine starts in seconds.
    await vi.waitUntil(async () => {
      // Keeps one CPU busy, so that its usage can be measured.
      for (const end = performance.now() + 1_000; performance.now() < end;);
      reading = await readings.read()
      return failed().length === 0
    })
  })

  it('has more than 150 unique names, and all collectors succeed', () => {
    const names = reading.metrics.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBeGreaterThan(150)
    expect(failed()).toEqual([])
  })

  it('reports all the time of its CPUs, and that one was busy', () => {
    const states = ['user', 'nice', 'system', 'idle', 'wait', 'interrupt', 'softirq', 'steal']
    const sum = states.reduce((total, state) => total + value(`aggregation.cpu-average.cpu.${state}`), 0)
    expect(sum).toBeCloseTo(100, 6)
    const cpus = proc('stat').match(/^cpu\d/gm)?.length ?? 1
    const idle = value('aggregation.cpu-average.cpu.idle') + value('aggregation.cpu-average.cpu.wait')
    expect(idle).toBeLessThan(100 - 60 / cpus)
  })

  it('agrees with df on every local filesystem', async () => {
    for (const { filesystem } of await filesystems.read()) {
      const [{ mountPoint }] = filesystem.mounts
      const { used, available } = df(mountPoint)
      const slack = 512 * 1024 * 1024 // other programs write meanwhile
      const name = `df.${mountName(mountPoint)}`
      expect(Math.abs(value(`${name}.df_complex.used`) - used)).toBeLessThan(slack)
      expect(Math.abs(value(`${name}.df_complex.free`) - available)).toBeLessThan(slack)
      const percent = value(`${name}.percent_bytes.used`)
      const total = used + available
      expect(Math.abs((percent / 100) * total - used)).toBeLessThan(slack + total / 200)
    }
  })

  it('agrees with /proc on uptime, load and memory', () => {
    const uptime = Number(proc('uptime').split(' ')[0])
    expect(uptime - value('uptime')).toBeGreaterThanOrEqual(0)
    expect(uptime - value('uptime')).toBeLessThan(60)
    expect(value('load.longterm')).toBeCloseTo(Number(proc('loadavg').split(' ')[2]), 0)
    expect(value('memory.total')).toBe(Number(/MemTotal:\s+(\d+)/.exec(proc('meminfo'))?.[1]) * 1024)
    const parts = ['used', 'free', 'buffered', 'cached', 'slab_recl', 'slab_unrecl']
    const sum = parts.reduce((total, part) => total + value(`memory.${part}`), 0)
    expect(sum).toBe(value('memory.total'))
  })
})
