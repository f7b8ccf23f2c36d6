import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HardwareReport } from '@roost/api-types/agent'
import { systemClock } from '@roost/runtime'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runCommand, type RunCommand } from '../../machine/run-command.js'
import { createHardwareReader, type HardwareReaderOptions } from './hardware-reader.js'

// The built program, as the agent starts it.
const program = fileURLToPath(new URL('../../../dist/inventory/hardware/hardware-main.js', import.meta.url))
const fixtures = fileURLToPath(new URL('../fixtures/hardware', import.meta.url))
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'roost-hardware-'))
  mkdirSync(join(dir, 'bin'))
})
afterEach(() => rmSync(dir, { recursive: true }))

function readerOf(options: Partial<HardwareReaderOptions> = {}) {
  const env = { PATH: `${join(dir, 'bin')}:${systemPath}`, LC_ALL: 'C' }
  return createHardwareReader({ run: runCommand, clock: systemClock, program, env, ...options })
}

/** A program that the one that reads finds first. */
function addProgram(name: string, script: string): void {
  writeFileSync(join(dir, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}

/** The programs of a storage server: they print what is in the files. */
function addServerPrograms(): void {
  for (const file of ['dmidecode-system.txt', 'dmidecode-2.txt', 'dmidecode-bios.txt', 'dmidecode-memory.txt'])
    copyFileSync(join(fixtures, file), join(dir, file))
  addProgram('dmidecode', `case $2 in 0) set -- -t bios ;; esac; cat "${dir}/dmidecode-$2.txt" 2>/dev/null; true`)
  addProgram('lsblk', `cat "${fixtures}/lsblk.json"`)
}

const isRunning = (pid: number) => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

describe('the hardware of this machine', () => {
  it('is a report with the CPU and the interfaces, and with a reason for each part that is null', async () => {
    const report = await readerOf().read()
    expect(HardwareReport.parse(report)).toEqual(report)
    expect(Math.abs(Date.now() / 1_000 - report.read_at)).toBeLessThan(60)
    expect(report.cpu?.logical_cores).toBe(cpus().length)
    expect(report.interfaces?.map(({ name }) => name)).not.toContain('lo')
    const { read_at: _, unavailable, ...parts } = report
    const missing = Object.entries(parts).flatMap(([name, value]) => (value === null ? [name] : []))
    expect(Object.keys(unavailable)).toEqual(expect.arrayContaining(missing))
  })

  it.runIf(process.getuid?.() === 0)('is also read by an account without rights', async () => {
    const asNobody: RunCommand = (file, args, options) =>
      runCommand('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', file, ...args], options)
    const report = await readerOf({ run: asNobody }).read()
    expect(HardwareReport.parse(report)).toEqual(report)
    expect(report.cpu?.logical_cores).toBe(cpus().length)
  })
})

it('reads the firmware, the memory modules and the disks of a storage server', async () => {
  addServerPrograms()
  const { system, board, bios, memory_modules: modules, disks, unavailable } = await readerOf().read()
  expect(system).toMatchObject({ manufacturer: 'Supermicro', serial: 'E335678X9012345' })
  expect(system?.sku).toBeNull()
  expect(board).toMatchObject({ model: 'X11DPH-T', serial: 'UM19AS012345', asset_tag: null })
  expect(bios).toEqual({ vendor: 'American Megatrends Inc.', version: '3.4', release_date: '2020-11-03' })
  expect(modules).toEqual([
    {
      bank: 'P0_Node0_Channel0_Dimm0',
      size_bytes: 32 * 2 ** 30,
      type: 'DDR4',
      form_factor: 'DIMM',
      speed_mhz: 2666,
      manufacturer: 'Samsung Electronics Inc.',
      part_number: 'M393A4K40DB2-CVF',
      serial: '03A1B2C3',
    },
    expect.objectContaining({ bank: 'P0_Node0_Channel1_Dimm0', size_bytes: 0, type: null, serial: null }),
  ])
  expect(disks).toEqual([
    {
      name: 'sda',
      vendor: 'Seagate',
      model: 'ST14000NM001G-2KJ103',
      serial: 'ZL2ABC12',
      firmware: 'SN03',
      interface: 'SATA',
      kind: 'HD',
      size_bytes: 14_000_519_643_136,
    },
    expect.objectContaining({ name: 'nvme0n1', interface: 'PCIe', kind: 'NVMe', serial: 'S435NA0M123456' }),
  ])
  expect(unavailable).toEqual({})
})

describe('a device that hangs', () => {
  it('is left at the deadline: the process ends with its children, and the other sections are reported', async () => {
    addServerPrograms()
    addProgram('lsblk', `echo $$ > "${dir}/pid"; sleep 600 & echo $! > "${dir}/child"; wait`)
    const report = await readerOf({ deadlineMs: 6_000 }).read()
    expect(report.memory_modules).toHaveLength(2)
    expect([report.disks, report.interfaces]).toEqual([null, null])
    const reason = 'the process that reads the hardware did not answer in time and was killed'
    expect(report.unavailable).toEqual({ disks: reason, interfaces: reason })
    const pids = ['pid', 'child'].map((file) => Number(readFileSync(join(dir, file), 'utf8')))
    await vi.waitFor(() => expect(pids.map(isRunning)).toEqual([false, false]))
  })

  it('is not read again while its process is there', async () => {
    let end = () => {}
    const ended = new Promise<void>((resolve) => (end = resolve))
    const stuck: RunCommand = async () => ({ outcome: 'timed_out', exitCode: null, stdout: '', stderr: '', ended })
    const reader = readerOf({ run: stuck })
    expect((await reader.read()).unavailable).toHaveProperty('system')
    await expect(reader.read()).rejects.toThrow('is still hanging')
    end()
    await ended
    await expect(reader.read()).resolves.toHaveProperty('system', null)
  })
})

it('ends with the agent', async () => {
  addProgram('dmidecode', `sleep 600`)
  const reader = readerOf()
  const reading = reader.read()
  reader.close()
  await expect(reading).rejects.toThrow('The agent is stopping')
})
