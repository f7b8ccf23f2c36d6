import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { exitCodes as serverCodes } from '@roost/control-plane/dist/cli/terminal/exit-codes.js'
import { exitCodes as agentCodes } from '@roost/node-agent/dist/cli/command/command-error.js'
import { describe, expect, it } from 'vitest'
import { repository } from '../support/http/control-plane.js'

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
const readUnit = (path: string) => readFileSync(join(repository, 'apps', path), 'utf8')
const agent = readUnit('node-agent/systemd/roost-agent.service')
const onGateways = readUnit('node-agent/assets/roost-agent-gateway.conf')
const server = readUnit('control-plane/systemd/roost.service')

function setting(unit: string, name: string): string | undefined {
  return new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1]
}

describe.each([
  ['roost-agent.service', agent],
  ['roost.service', server],
])('%s', (_name, unit) => {
  it('waits for READY=1, which a child sends, and has a watchdog of 30 s', () => {
    expect(['Type', 'NotifyAccess', 'WatchdogSec'].map((name) => setting(unit, name))).toEqual(['notify', 'all', '30'])
  })
})

describe('roost-agent.service', () => {
  it('starts the agent again unless that cannot help', () => {
    const { usage, removed, notEnrolled } = agentCodes
    expect(setting(agent, 'Restart')).toBe('always')
    expect(setting(agent, 'RestartPreventExitStatus')?.split(' ').map(Number)).toEqual([usage, removed, notEnrolled])
  })

  it('gives no right except to read, and no separate view of the mounts', () => {
    expect(setting(agent, 'CapabilityBoundingSet')).toBe('CAP_DAC_READ_SEARCH')
    const settings = agent.split('\n').filter((line) => !line.startsWith('#'))
    expect(
      settings.filter((line) => /^(Protect|Private|ReadOnly|ReadWrite|Inaccessible|Root|Bind)/.test(line)),
    ).toEqual([])
  })

  it('runs as root on a gateway', () => {
    expect(onGateways).toMatch(/^User=root$/m)
  })
})

describe('roost.service', () => {
  it('starts the control plane again unless a variable is wrong or the port is in use, and not for ever', () => {
    expect(setting(server, 'Restart')).toBe('on-failure')
    const { usage, conflict } = serverCodes
    expect(setting(server, 'RestartPreventExitStatus')?.split(' ').map(Number)).toEqual([usage, conflict])
    expect(setting(server, 'StartLimitBurst')).toBe('30')
  })
})

interface Analyzed {
  readonly status: number | null
  readonly output: string
}

/** Returns the rows of the table of open lines. */
function reasons() {
  const text = readFileSync(join(repository, 'docs/security.md'), 'utf8').split('## The units of systemd')[1] ?? ''
  const rows = text.split('\n').filter((line) => line.startsWith('| `'))
  return rows.map((row) => {
    const [, lines = '', units = '', because = ''] = row.split(/(?<!\\)\|/).map((cell) => cell.trim())
    const names = [...lines.matchAll(/`([^`]+)`/g)].map(([, line = '']) => line.replaceAll(String.raw`\|`, '|'))
    return { lines: names, units: units.split(', '), because }
  })
}

/** The units of systemd that every service and timer needs. */
const targets = ['basic', 'network-online', 'shutdown', 'sysinit', 'time-set', 'time-sync', 'timers'].map(
  (name) => `${name}.target`,
)

/** Runs systemd-analyze on one of these files, without the units of this machine: a fault of theirs is not ours. */
function analyze(files: Readonly<Record<string, string>>, ...args: readonly string[]): Analyzed {
  const folder = mkdtempSync(join(tmpdir(), 'roost-unit-'))
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(folder, dirname(name)), { recursive: true })
      // The programs have to exist, and this may be a machine without them.
      writeFileSync(join(folder, name), text.replaceAll(/\/usr\/bin\/roost\S*/g, process.execPath))
    }
    for (const target of targets) writeFileSync(join(folder, target), '[Unit]\nDescription=A stand-in\n')
    const [first = ''] = Object.keys(files)
    const { status, stdout, stderr } = spawnSync('systemd-analyze', [...args, join(folder, first)], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', SYSTEMD_UNIT_PATH: folder },
    })
    return { status, output: stdout + stderr }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe.skipIf(!hasSystemd)('the units, as systemd-analyze reads them (of the package systemd)', () => {
  const backup = readUnit('control-plane/systemd/roost-backup.service')
  it.each([
    ['of the agent', { 'roost-agent.service': agent }],
    ['of the agent on a gateway', { 'roost-agent.service': agent, 'roost-agent.service.d/gateway.conf': onGateways }],
    ['of the control plane', { 'roost.service': server }],
    ['of the backup', { 'roost-backup.service': backup }],
    [
      'of its timer',
      { 'roost-backup.timer': readUnit('control-plane/systemd/roost-backup.timer'), 'roost-backup.service': backup },
    ],
  ])('have no fault: that %s', (_name, files) => {
    expect(analyze(files, 'verify')).toEqual({ status: 0, output: '' })
  })

  const analyzed = [
    ['agent', 40, { 'roost-agent.service': agent }],
    ['gateway', 70, { 'roost-agent.service': agent, 'roost-agent.service.d/gateway.conf': onGateways }],
    ['control plane', 25, { 'roost.service': server }],
  ] as const

  it.each(analyzed)('expose little: that of the %s', (_name, most, files) => {
    const { status, output } = analyze(files, 'security', '--offline=true', `--threshold=${most}`)
    expect({ status, output: status === 0 ? '' : output }).toEqual({ status: 0, output: '' })
  })

  it.each(analyzed)('have a reason in docs/security.md for each line that is open: %s', (name, _most, files) => {
    const { output } = analyze(files, 'security', '--offline=true', '--json=short')
    const lines = JSON.parse(output) as readonly { readonly name: string; readonly set: boolean | null }[]
    const open = lines.filter(({ set }) => set === false).map((line) => line.name)
    const listed = reasons().filter(({ units }) => units.includes(name))
    expect(listed.flatMap((reason) => reason.lines).toSorted()).toEqual(open.toSorted())
    expect(listed.filter(({ because }) => because.length < 20)).toEqual([])
  })
})
