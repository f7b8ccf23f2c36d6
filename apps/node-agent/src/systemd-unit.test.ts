import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exitCodes } from './cli/command-error.js'

const unit = readFileSync(new URL('../systemd/roost-agent.service', import.meta.url), 'utf8')
const onGateways = readFileSync(new URL('../systemd/roost-agent-gateway.conf', import.meta.url), 'utf8')
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

function setting(name: string): string | undefined {
  return new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1]
}

describe('the systemd unit', () => {
  it('waits for READY=1, which a child sends, and watches for 30 s', () => {
    expect([setting('Type'), setting('NotifyAccess'), setting('WatchdogSec')]).toEqual(['notify', 'all', '30'])
  })

  it('starts the agent again unless that cannot help', () => {
    const { usage, removed, notEnrolled } = exitCodes
    expect(setting('Restart')).toBe('always')
    expect(setting('RestartPreventExitStatus')?.split(' ').map(Number)).toEqual([usage, removed, notEnrolled])
  })

  it('gives no right but to read, and no view of the mounts of its own', () => {
    expect(setting('CapabilityBoundingSet')).toBe('CAP_DAC_READ_SEARCH')
    const settings = unit.split('\n').filter((line) => !line.startsWith('#'))
    expect(
      settings.filter((line) => /^(Protect|Private|ReadOnly|ReadWrite|Inaccessible|Root|Bind)/.test(line)),
    ).toEqual([])
  })
})

describe.skipIf(!hasSystemd)('the systemd unit, as systemd-analyze sees it (of the package systemd)', () => {
  let dir: string
  let file: string
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'roost-unit-'))
    file = join(dir, 'roost-agent.service')
    // It wants the program to be there, and this may be a machine without the agent.
    writeFileSync(file, unit.replace('/usr/bin/roost-agent', process.execPath))
  })
  afterAll(() => rmSync(dir, { recursive: true, force: true }))

  it('has no fault', () => {
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  it('has no fault on a gateway, where its drop-in makes it root', () => {
    const folder = mkdtempSync(join(tmpdir(), 'roost-unit-'))
    const gateway = join(folder, 'roost-agent.service')
    writeFileSync(gateway, unit.replace('/usr/bin/roost-agent', process.execPath))
    mkdirSync(`${gateway}.d`)
    writeFileSync(join(`${gateway}.d`, 'gateway.conf'), onGateways)
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', gateway], { encoding: 'utf8' })
    rmSync(folder, { recursive: true })
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(onGateways).toMatch(/^User=root$/m)
  })

  it('exposes little', () => {
    const { status } = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=40', file])
    expect(status).toBe(0)
  })
})
