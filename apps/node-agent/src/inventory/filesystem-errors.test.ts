import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openMachine } from '../machine/machine.js'
import { parseMountinfo } from '../machine/mounts.js'
import { runCommand } from '../machine/run-command.js'
import { createFilesystemErrors, type FilesystemErrors } from './filesystem-errors.js'

const [ext4, xfs] = parseMountinfo(
  '30 1 8:1 / /data/1 rw - ext4 /dev/sda1 rw\n31 1 8:2 / /data/2 rw - xfs /dev/sda2 rw',
)
const booted = 1_795_000_000
const mounted = booted + 3_600

let root: string
let errors: FilesystemErrors
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'roost-errors-'))
  for (const folder of ['sys/dev/block', 'sys/fs/ext4/sda1', 'proc', 'dev'])
    mkdirSync(join(root, folder), { recursive: true })
  symlinkSync('../../devices/pci0/block/sda/sda1', join(root, 'sys/dev/block/8:1'))
  writeFileSync(join(root, 'proc/stat'), `cpu 1 2 3\nbtime ${booted}\n`)
  errors = createFilesystemErrors(openMachine(root), runCommand)
})
afterEach(() => rmSync(root, { recursive: true }))

/** The beginning of a disk with ext4, of which `mkfs` and `mount` leave this: the time of the last mount in the superblock. */
function mountAt(time: number): void {
  const disk = Buffer.alloc(2_048)
  disk.writeUInt32LE(time, 1_024 + 0x2c)
  writeFileSync(join(root, 'dev/sda1'), disk)
}

function record(count: number, lastError: number): void {
  writeFileSync(join(root, 'sys/fs/ext4/sda1/errors_count'), `${count}\n`)
  writeFileSync(join(root, 'sys/fs/ext4/sda1/last_error_time'), `${lastError}\n`)
}
const recorded = async (stamp: string) => ext4 && errors.of(ext4, stamp)

describe('errors that an ext4 filesystem has on record', () => {
  it('are none at first', async () => {
    record(0, 0)
    expect(await recorded('a')).toEqual({ count: 0, isNow: false })
  })

  it('are of this mount when the last came after it, whoever looks first', async () => {
    mountAt(mounted)
    record(2, mounted + 1)
    expect(await recorded('a')).toEqual({ count: 2, isNow: true })
    errors = createFilesystemErrors(openMachine(root), runCommand)
    expect(await recorded('a')).toEqual({ count: 2, isNow: true })
  })

  it('are history once somebody mounts it again, until there is another', async () => {
    mountAt(mounted)
    record(1, mounted + 1)
    expect(await recorded('a')).toEqual({ count: 1, isNow: true })
    mountAt(mounted + 60)
    expect(await recorded('b')).toEqual({ count: 1, isNow: false })
    record(2, mounted + 90)
    expect(await recorded('b')).toEqual({ count: 2, isNow: true })
  })

  it('are those since the machine’s start where the disk cannot be read', async () => {
    record(1, booted - 1)
    expect(await recorded('a')).toEqual({ count: 1, isNow: false })
    record(2, booted + 1)
    expect(await recorded('a')).toEqual({ count: 2, isNow: true })
  })

  it('are not reported for a filesystem that keeps no record', async () => {
    expect(xfs && (await errors.of(xfs, 'a'))).toBeUndefined()
    expect(await recorded('a')).toBeUndefined()
  })
})
