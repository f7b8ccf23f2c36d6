import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createNodeProblems } from '../machine/problems.js'
import { runCommand } from '../machine/run-command.js'
import type { CommandResult, RunCommand } from '../machine/run-command.js'
import { askDisk } from './smart/smartctl.js'
import { createSmart } from './smart.js'
import { testHost, valuesByName } from './testing/test-host.js'

// By the documented format of `smartctl --json`, version 7.3.
const smartctl = (...messages: readonly string[]) => ({
  smartctl: { version: [7, 3], exit_status: 0, messages: messages.map((string) => ({ string, severity: 'error' })) },
})
const ata = {
  ...smartctl(),
  device: { name: '/dev/sda', type: 'sat', protocol: 'ATA' },
  smart_status: { passed: true },
  temperature: { current: 34 },
  power_on_time: { hours: 1_000 },
  ata_smart_attributes: {
    table: [
      { id: 5, name: 'Reallocated_Sector_Ct', value: 100, worst: 100, thresh: 10, raw: { value: 8, string: '8' } },
      { id: 197, name: 'Current_Pending_Sector', value: 100, worst: 100, thresh: 0, raw: { value: 2, string: '2' } },
    ],
  },
}
const nvme = {
  ...smartctl(),
  smart_status: { passed: true, nvme: { value: 0 } },
  nvme_smart_health_information_log: { critical_warning: 0, available_spare: 97, percentage_used: 89, media_errors: 0 },
  temperature: { current: 41 },
  power_on_time: { hours: 10 },
}
const scsi = {
  ...smartctl(),
  smart_status: { passed: true },
  scsi_grown_defect_list: 3,
  scsi_percentage_used_endurance_indicator: 12,
}
const asleep = smartctl('Device is in STANDBY mode, exit(2)')
const denied = smartctl('Smartctl open device: /dev/sda failed: Permission denied')
const ended = Promise.resolve()
const exited = (answer: unknown): CommandResult => ({
  outcome: 'exited',
  exitCode: 0,
  stdout: typeof answer === 'string' ? answer : JSON.stringify(answer),
  stderr: '',
  ended,
})

/** A machine whose disks give these answers, which may change. */
function disksOf(answers: Record<string, unknown>) {
  const asked: (readonly string[])[] = []
  const problems = createNodeProblems()
  const run: RunCommand = async (_file, args) => {
    asked.push(args)
    const answer = answers[args.at(-1)?.replace('/dev/', '') ?? '']
    return typeof answer === 'function' ? (answer as () => CommandResult)() : exited(answer)
  }
  const host = testHost(
    Object.fromEntries([...Object.keys(answers), 'vda', 'dm-0'].map((disk) => [`/sys/block/${disk}/size`, '1\n'])),
  )
  const smart = createSmart({ run, problems })
  const found = () => problems.list().map(({ code, subject, severity, value }) => [code, subject, severity, value])
  return { asked, found, smart, read: () => valuesByName(smart, host) }
}

describe('the health of disks', () => {
  it('is asked once an hour, of real disks alone, and never wakes one up', async () => {
    const { asked, read, smart } = disksOf({ sda: ata })
    await read()
    expect(asked).toEqual([['--json=c', '-n', 'standby', '-i', '-H', '-A', '/dev/sda']])
    expect(smart.minIntervalMs).toBe(3_600_000)
  })

  it('has the values of each kind of disk, and none for what a disk does not say', async () => {
    const values = await disksOf({ sda: ata, sdb: scsi, nvme0n1: nvme }).read()
    expect(values).toMatchObject({
      'smart.sda.passed': 1,
      'smart.sda.temperature': 34,
      'smart.sda.power_on_time': 3_600_000,
      'smart.sda.reallocated_sectors': 8,
      'smart.sda.pending_sectors': 2,
      'smart.sda.uncorrectable_sectors': Number.NaN,
      'smart.sda.percent.used': Number.NaN,
      'smart.sdb.reallocated_sectors': 3,
      'smart.sdb.percent.used': 12,
      'smart.nvme0n1.percent.used': 89,
      'smart.nvme0n1.percent.spare': 97,
      'smart.nvme0n1.uncorrectable_sectors': 0,
    })
    expect(Object.keys(values)).toHaveLength(24)
  })

  it('is a problem of a disk that says that it fails, and of one that is worn, also while it sleeps', async () => {
    const answers: Record<string, unknown> = { sda: { ...ata, smart_status: { passed: false } }, nvme0n1: nvme }
    const { found, read } = disksOf(answers)
    await read()
    expect(found()).toEqual([['disk_health', '/dev/sda', 'critical', undefined]])
    const log = { ...nvme.nvme_smart_health_information_log, percentage_used: 90 }
    Object.assign(answers, { sda: asleep, nvme0n1: { ...nvme, nvme_smart_health_information_log: log } })
    expect(await read()).toMatchObject({ 'smart.sda.passed': Number.NaN, 'smart.nvme0n1.percent.used': 90 })
    expect(found()).toEqual([
      ['disk_health', '/dev/nvme0n1', 'warning', 90],
      ['disk_health', '/dev/sda', 'critical', undefined],
    ])
    Object.assign(answers, { sda: ata, nvme0n1: nvme })
    await read()
    expect(found()).toEqual([])
  })

  it('says why nothing is known: no rights, no smartctl, no answer; a disk without such data is left out', async () => {
    await expect(disksOf({ sda: denied }).read()).rejects.toThrow(
      'sda: Smartctl open device: /dev/sda failed: Permission',
    )
    await expect(disksOf({ sda: 'rubbish' }).read()).rejects.toThrow('sda: smartctl printed no JSON.')
    const missing = { ...exited(''), outcome: 'not_started' } as const
    await expect(disksOf({ sda: () => missing }).read()).rejects.toThrow('Install smartmontools')
    expect(await disksOf({ sda: smartctl('/dev/sda: Unable to detect device type') }).read()).toEqual({})
    expect(Object.keys(await disksOf({ sda: denied, sdb: scsi }).read())).toHaveLength(8)
  })

  it('is not asked again of a disk whose process hangs', async () => {
    const hung = { ...exited(''), outcome: 'timed_out', ended: new Promise<void>(() => {}) } as const
    const { asked, read } = disksOf({ sda: () => hung, sdb: scsi })
    await read()
    await read()
    expect(asked.map((args) => args.at(-1))).toEqual(['/dev/sda', '/dev/sdb', '/dev/sdb'])
  })
})

const isHere = process.getuid?.() === 0 && process.env['ROOST_TEST_SYSTEM'] === '1'

it.skipIf(!isHere)(
  'a real smartctl says that a loop device has no health (not here: as root, with ROOST_TEST_SYSTEM=1)',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'roost-smart-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, 'disk'), Buffer.alloc(1 << 20))
    const device = execFileSync('losetup', ['--find', '--show', join(folder, 'disk')], { encoding: 'utf8' }).trim()
    onTestFinished(() => void execFileSync('losetup', ['--detach', device]))
    const { health } = await askDisk(runCommand, device)
    expect(health).toEqual({ reason: 'unsupported', message: `${device}: Unable to detect device type` })
  },
)
