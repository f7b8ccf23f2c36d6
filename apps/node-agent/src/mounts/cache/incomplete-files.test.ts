import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLog, systemClock } from '@roost/runtime'
import { openMachine } from '../../machine/machine.js'
import { mountAt, readMounts } from '../../machine/mounts.js'
import { runCommand } from '../../machine/run-command.js'
import { createDaemons } from '../rclone/daemons.js'
import type { Daemons } from '../rclone/daemons.js'
import { cacheSizeArguments, mountArguments } from '../started/rclone-arguments.js'
import { createBusyFiles } from './busy-files.js'
import { IncompleteFiles } from './incomplete-files.js'
import { createRenameFiles } from './files/rename-files.js'
import { hasRclone, patience } from '../testing/real-rclone.js'
import { sampleSpec } from '../testing/sample-spec.js'

const isEnabled = process.env.ROOST_TEST_SYSTEM === '1' && hasRclone

const mib = 1 << 20

let dir: string
let daemons: Daemons
let incomplete: IncompleteFiles
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'roost-incomplete-'))
  for (const name of ['remote/box', 'mount', 'cache']) mkdirSync(join(dir, name), { recursive: true })
  await runCommand('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'cache', join(dir, 'cache')], { deadlineMs: 30_000 })
  const machine = openMachine()
  daemons = createDaemons({ dir: join(dir, 'run'), machine, run: runCommand, clock: systemClock, systemd: false })
  const files = {
    config: join(dir, 'rclone.conf'),
    ca: '',
    cache: join(dir, 'cache/7'),
    htpasswd: join(dir, 'htpasswd'),
  }
  writeFileSync(files.config, '[swift]\ntype = local\n')
  writeFileSync(files.htpasswd, '')
  const container = join(dir, 'remote/box').slice(1)
  const spec = sampleSpec({ container })
  const owner = { name: 'root', uid: 0, gid: 0 }
  await daemons.start('share', [
    'rclone',
    ...mountArguments(spec, join(dir, 'mount'), owner, files),
    ...cacheSizeArguments(8),
  ])
  await vi.waitUntil(() => mountAt(join(dir, 'mount'), readMounts(machine)) !== undefined, patience)
  const pid = () => Number.parseInt(machine.read(join(dir, 'run/share.pid')) ?? '', 10)
  incomplete = new IncompleteFiles({
    mounts: () => [spec],
    pathOf: () => join(dir, 'mount'),
    newLines: () => daemons.newLines('share'),
    readBusy: createBusyFiles({
      shareMounts: { pidOf: async () => pid() },
      machine,
      cacheDirectory: join(dir, 'cache'),
    }),
    cacheDirectory: join(dir, 'cache'),
    rename: createRenameFiles(runCommand),
    clock: systemClock,
    log: createLog({ format: 'json', level: 'error', write: () => {} }),
  })
}, 120_000)
afterEach(async () => {
  // Lazily: a mount that is busy would otherwise stay on this machine, and be in the namespaces of other suites.
  await runCommand('umount', ['--lazy', join(dir, 'mount')], { deadlineMs: 30_000 })
  await daemons.end('share')
  // A file system stays busy until the last file of an ended rclone is closed.
  await vi.waitFor(() => expectSuccess('umount', join(dir, 'cache')), patience)
  rmSync(dir, { recursive: true, force: true })
}, 120_000)

async function expectSuccess(...[file, ...args]: [string, ...string[]]): Promise<void> {
  const result = await runCommand(file, args, { deadlineMs: 30_000 })
  expect(result).toMatchObject({ exitCode: 0 })
}

/** Whether all of it was taken. In a child: rclone 1.60 may hang while it has no space. */
async function save(name: string, megabytes: number): Promise<boolean> {
  const script = `head -c ${megabytes}M /dev/zero > "$0"`
  const { exitCode } = await runCommand('sh', ['-c', script, join(dir, 'mount', name)], { deadlineMs: 60_000 })
  return exitCode === 0
}

/**
 * Writes a file by calls of 1 MiB, as smbd does; makes space at the first failure, and then repeats what was not accepted, continues
 * past it, or gives up. Another file fails right after it, so that the log was written later than the first failure.
 */
const client = `
  const fs = require('node:fs')
  const [folder, ballast, then] = process.argv.slice(1)
  const save = (name, megabytes, then) => {
    const fd = fs.openSync(folder + '/' + name, 'w')
    const data = Buffer.alloc(megabytes << 20, 1)
    let total = 0
    let short
    while (total < data.length) {
      const expected = Math.min(1 << 20, data.length - total)
      const before = total
      try {
        total += fs.writeSync(fd, data, total, expected, total)
      } catch (error) {
        if (error.code !== 'EIO') throw error
      }
      if (total === before + expected) continue
      short ??= total
      fs.rmSync(ballast, { force: true })
      if (then === 'give up') break
      if (then === 'skip') total = before + expected
    }
    fs.closeSync(fd)
    return { short, total }
  }
  const file = save('file', 16, then)
  const other = save('other', 24, 'give up')
  console.log(JSON.stringify({ file, other }))
`

const uploadedSize = (name: string) => statSync(join(dir, 'remote/box', name)).size
const uploaded = () => readdirSync(join(dir, 'remote/box')).toSorted()

describe.skipIf(!isEnabled)('a cache without space (as root, with ROOST_TEST_SYSTEM=1 and /dev/fuse)', () => {
  it('has truncated files uploaded under another name only', { timeout: 300_000 }, async () => {
    expect(await save("whole 'one", 2)).toBe(true)
    expect(await save("it's $a big.bin", 40)).toBe(false)
    await vi.waitFor(async () => {
      await incomplete.check()
      expect(incomplete.recent(7)).toEqual({
        files: 1,
        last: expect.stringMatching(/^it's \$a big\.bin\.incomplete-\d{10}$/),
      })
    }, patience)
    const { last = '' } = incomplete.recent(7) ?? {}
    await vi.waitFor(() => expect(uploaded()).toEqual([last, "whole 'one"].toSorted()), patience)
  })

  it('leaves a file that its client wrote again', { timeout: 300_000 }, async () => {
    expect(await save('retried.bin', 40)).toBe(false)
    // Nothing reads the log until the file is complete, as when the agent is late.
    await vi.waitFor(async () => expect(await save('retried.bin', 4)).toBe(true), patience)
    await vi.waitFor(() => expect(uploadedSize('retried.bin')).toBe(4 * mib), patience)
    for (let i = 0; i < 3; i++) await incomplete.check()
    expect([uploaded(), incomplete.recent(7)]).toEqual([['retried.bin'], undefined])
  })

  it.each([
    ['keeps the name of a file whose client continued after a short write', 'continue', /^file$/],
    ['renames a file whose client continued past a short write', 'skip', /^file\.incomplete-\d{10}$/],
    ['renames a file whose client gave up after a short write', 'give up', /^file\.incomplete-\d{10}$/],
  ])('%s', { timeout: 300_000 }, async (_, then, name) => {
    const ballast = join(dir, 'cache/ballast')
    writeFileSync(ballast, Buffer.alloc(20 * mib))
    const { stdout } = await runCommand(process.execPath, ['-e', client, join(dir, 'mount'), ballast, then], {
      deadlineMs: 60_000,
    })
    const { file, other } = JSON.parse(stdout)
    expect(file.short).toBeGreaterThan(0)
    expect(file.short).toBeLessThan(16 * mib)
    expect(file.total).toBe(then === 'give up' ? file.short : 16 * mib)
    expect(other.total).toBeLessThan(24 * mib)
    const names = [expect.stringMatching(name), expect.stringMatching(/^other\.incomplete-\d{10}$/)]
    await vi.waitFor(async () => {
      await incomplete.check()
      expect(uploaded()).toEqual(names)
    }, patience)
    for (let i = 0; i < 10; i++) await incomplete.check()
    expect(uploaded()).toEqual(names)
  })

  it('waits until a file is closed', { timeout: 300_000 }, async () => {
    const script = 'exec 3> "$0"; head -c 40M /dev/zero >&3; exec sleep 5'
    const writer = runCommand('sh', ['-c', script, join(dir, 'mount/open.bin')], { deadlineMs: 60_000 })
    await vi.waitFor(() => expect(daemons.log('share')).toContain('open.bin: no space left'), patience)
    await incomplete.check()
    expect(incomplete.recent(7)).toBeUndefined()
    await writer
    await vi.waitFor(async () => {
      await incomplete.check()
      expect(incomplete.recent(7)?.files).toBe(1)
    }, patience)
  })
})
