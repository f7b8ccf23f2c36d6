import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '@roost/runtime'
import { openMachine } from '../../machine/machine.js'
import { runCommand } from '../../machine/run-command.js'
import type { RunCommand } from '../../machine/run-command.js'
import { createDaemons } from './daemons.js'

/** For what comes at once on a machine at rest. */
const patience = { timeout: 45_000 }

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'roost-daemons $ %n-'))
})
afterEach(async () => {
  await open().end('one')
  rmSync(dir, { recursive: true })
})

const open = (run: RunCommand = runCommand, systemd = false) =>
  createDaemons({ dir, machine: openMachine(), run, clock: systemClock, systemd })
const pidOf = (name: string) => Number.parseInt(readFileSync(join(dir, `${name}.pid`), 'utf8'), 10)
const started = async (argv: readonly string[]) => {
  await open().start('one', argv)
  await expect.poll(() => open().isRunning('one'), patience).toBe(true)
}

describe('a daemon', () => {
  it('is away from us, and found again by who comes after us', async () => {
    await started(['sleep', '1000'])
    const stat = readFileSync(`/proc/${pidOf('one')}/stat`, 'utf8')
    const [, , session] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(1)
    expect(Number(session)).not.toBe(process.pid)
    const cmdline = () => readFileSync(`/proc/${pidOf('one')}/cmdline`, 'utf8')
    await expect.poll(cmdline, patience).toBe(['sleep', '1000', ''].join('\0'))
  })

  it('ends on SIGTERM, and on SIGKILL when it ignores that', async () => {
    await started(['sh', '-c', 'trap "" TERM; while :; do sleep 0.1; done'])
    await open().end('one')
    expect(open().isRunning('one')).toBe(false)
  })

  it('is not another process that has its number now', async () => {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
    const stat = readFileSync('/proc/self/stat', 'utf8')
    const isRunning = (text: string) => {
      writeFileSync(join(dir, 'one.pid'), text)
      const found = open().isRunning('one')
      rmSync(join(dir, 'one.pid'))
      return found
    }
    const start = stat.split(' ').slice(0, -31).length
    const later = stat.split(' ').map((field, i) => (i === start ? String(Number(field) - 1) : field))
    expect(isRunning(`${stat}${boot}`)).toBe(true)
    expect(isRunning(`${later.join(' ')}${boot}`)).toBe(false)
    expect(isRunning(`${stat}another-boot\n`)).toBe(false)
  })

  it('has what it wrote in a log, until it is ended', async () => {
    await open().start('one', ['sh', '-c', 'echo said; echo loud >&2; exec sleep 1000'])
    await expect.poll(() => open().log('one'), patience).toBe('said\nloud\n')
    await open().end('one')
    expect(open().log('one')).toBe('')
  })

  it('has its log cut down to its beginning when that has grown long', async () => {
    await open().start('one', ['sh', '-c', 'echo first; head -c 2000000 /dev/zero; exec sleep 1000'])
    await expect.poll(() => open().log('one').length, patience).toBe(2_000_006)
    await open().trimLog('one')
    expect(open().log('one')).toMatch(/^first\n/)
    expect(open().log('one').length).toBeLessThan(5_000)
    expect(open().isRunning('one')).toBe(true)
  })

  it('is a unit of systemd where systemd runs', async () => {
    const calls: (readonly string[])[] = []
    const run: RunCommand = async (file, args) => {
      calls.push([file, ...args])
      return { outcome: 'exited', exitCode: 0, stdout: '', stderr: '', ended: Promise.resolve() }
    }
    await open(run, true).start('share-7', ['rclone', 'mount', 'swift:a$$b'])
    expect(calls[0]).toEqual(['systemctl', 'stop', 'roost-share-7.service'])
    expect(calls[1]?.slice(0, 5)).toEqual([
      'systemd-run',
      '--quiet',
      '--collect',
      '--unit=roost-share-7.service',
      '--property=KillMode=process',
    ])
    // systemd expands `$`: no argument of the program is in its command line.
    expect(calls[1]?.slice(5)).toEqual(['--', 'sh', join(dir, 'share-7.sh').replaceAll('$', '$$$$')])
  })

  it('does not see that systemd runs it: rclone would log without the time', async () => {
    const run: RunCommand = (file, args, options) =>
      runCommand('env', ['INVOCATION_ID=0123456789abcdef', file, ...args], options)
    await open(run).start('one', ['sh', '-c', 'echo "id=$INVOCATION_ID"; exec sleep 1000'])
    await expect.poll(() => open().log('one'), patience).toBe('id=\n')
  })

  it('gets its arguments byte for byte', async () => {
    const argv = [
      'a$b',
      '$$',
      '%n',
      ' two  blanks ',
      "it's",
      '"',
      '\\',
      '\\x24',
      '`id`$(id);&|<>*?#~',
      '-n',
      '',
      'ā\u{81}文',
      'a\nb',
    ]
    await open().start('one', ['sh', '-c', `printf '%s\\0' "$@"; exec sleep 1000`, 'sh', ...argv])
    await expect.poll(() => open().log('one'), patience).toBe(argv.map((argument) => `${argument}\0`).join(''))
  })

  it('says why it could not be started', async () => {
    const run: RunCommand = (_, __, options) => runCommand('false', [], options)
    await expect(open(run).start('one', ['rclone'])).rejects.toThrow('Could not start rclone: ended with exit code 1.')
  })
})
