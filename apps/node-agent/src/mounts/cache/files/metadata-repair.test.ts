import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openMachine } from '../../../machine/machine.js'
import { mountAt, readMounts } from '../../../machine/mounts.js'
import { runCommand } from '../../../machine/run-command.js'
import { createRepairMetadata } from './metadata-repair.js'
import { hasRclone, patience } from '../../testing/real-rclone.js'

const isEnabled = process.env.ROOST_TEST_SYSTEM === '1' && hasRclone

let dir: string
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'roost-metadata-'))))
afterEach(async () => {
  await runCommand('umount', [join(dir, 'mount')], { deadlineMs: 30_000 })
  rmSync(dir, { recursive: true, force: true })
})

const folder = (kind: 'vfs' | 'vfsMeta', container = 'box') => join(dir, 'cache', kind, 'swift', container)
function cached(path: string, data: string, meta: string): string {
  for (const [kind, text] of [
    ['vfs', data],
    ['vfsMeta', meta],
  ] as const) {
    mkdirSync(join(folder(kind), path, '..'), { recursive: true })
    writeFileSync(join(folder(kind), path), text)
  }
  return join(folder('vfs'), path)
}
const repair = (retain: boolean, container = 'box') =>
  createRepairMetadata(runCommand)({ folder: join(dir, 'cache'), remote: 'swift', container, retain })
const metadata = (path: string) => JSON.parse(readFileSync(join(folder('vfsMeta'), path), 'utf8'))

describe('a cache whose rclone was killed while it wrote metadata', () => {
  it('has the file uploaded, and all others as they are', async () => {
    cached("in/o'd\nname", 'content', '')
    cached('clean', 'content', '{"Dirty": false}')
    cached('empty', '', '')
    expect(await repair(false)).toEqual({ complete: ["in/o'd\nname"], incomplete: [] })
    expect(metadata("in/o'd\nname")).toMatchObject({ Size: 7, Rs: [{ Pos: 0, Size: 7 }], Dirty: true })
    expect(metadata('clean')).toEqual({ Dirty: false })
    expect(await repair(false)).toEqual({ complete: [], incomplete: [] })
    expect(await repair(false, 'other')).toEqual({ complete: [], incomplete: [] })
  })

  it('keeps what is left of a file under another name, when more of it is in Swift', async () => {
    truncateSync(cached('in/part', 'content', ''), 1 << 20)
    const { complete, incomplete } = await repair(false)
    expect([complete, incomplete]).toEqual([[], [expect.stringMatching(/^in\/part\.incomplete-\d+$/)]])
    expect(readdirSync(join(folder('vfs'), 'in'))).toEqual([incomplete[0]?.slice(3)])
    expect(metadata(incomplete[0] ?? '')).toMatchObject({ Size: 1 << 20, Dirty: true })
  })

  it('puts nothing that a client may only have read over an object, in a cache that keeps such files', async () => {
    utimesSync(cached('read', 'content', ''), 1_000_000_000, 1_000_000_000)
    cached('written', 'content', '')
    const { complete, incomplete } = await repair(true)
    expect([complete, incomplete]).toEqual([['written'], [expect.stringMatching(/^read\.incomplete-\d+$/)]])
  })
})

describe.skipIf(!isEnabled)('a real rclone (as root, with ROOST_TEST_SYSTEM=1 and /dev/fuse)', () => {
  const remote = () => join(dir, 'remote')
  const box = () => remote().slice(1)

  async function mount(): Promise<void> {
    mkdirSync(remote(), { recursive: true })
    mkdirSync(join(dir, 'mount'), { recursive: true })
    writeFileSync(join(dir, 'rclone.conf'), '[swift]\ntype = local\n')
    const where = [`swift:${remote()}`, join(dir, 'mount'), '--config', join(dir, 'rclone.conf')]
    const how = ['--cache-dir', join(dir, 'cache'), '--vfs-cache-mode', 'writes', '--vfs-write-back', '5s']
    const start = ['-c', 'exec setsid --fork "$0" "$@" >/dev/null 2>&1', 'rclone', 'mount', ...where, ...how]
    await runCommand('sh', start, { deadlineMs: 60_000 })
    await vi.waitUntil(() => mountAt(join(dir, 'mount'), readMounts(openMachine())) !== undefined, patience)
  }

  it('uploads the repaired file, also over a shorter object of that name', { timeout: 300_000 }, async () => {
    mkdirSync(remote(), { recursive: true })
    writeFileSync(join(remote(), 'old'), 'short')
    mkdirSync(folder('vfs', box()), { recursive: true })
    mkdirSync(folder('vfsMeta', box()), { recursive: true })
    for (const name of ['old', 'new']) {
      writeFileSync(join(folder('vfs', box()), name), 'longer content')
      writeFileSync(join(folder('vfsMeta', box()), name), '')
    }
    expect(await repair(false, box())).toMatchObject({ incomplete: [] })
    await mount()
    for (const name of ['old', 'new'])
      await vi.waitUntil(() => {
        const path = join(remote(), name)
        return existsSync(path) && readFileSync(path, 'utf8') === 'longer content'
      }, patience)
  })
})
