import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openMachine } from '../machine/machine.js'
import { localFilesystems, readMounts } from '../machine/mounts.js'
import { runCommand } from '../machine/run-command.js'
import { slowFiles } from './testing/slow-files.js'
import { useWrittenRoot } from './testing/written-root.js'
import { disksOf, readBlockDevices } from './disks.js'
import { createFilesystemReader, describeFilesystem, duplicateUuids } from './filesystems.js'

const root = useWrittenRoot()
const { write, mounts } = root

async function filesystems() {
  const machine = openMachine(root.path)
  return createFilesystemReader(machine, runCommand).read(localFilesystems(readMounts(machine)))
}

async function disks() {
  const kernel = openMachine(root.path)
  return disksOf(await readBlockDevices({ kernel, ...slowFiles(kernel) }))
}

describe('disks and filesystems', () => {
  it('reads what the machine reports of its disks, and null for what it does not', async () => {
    write('sys/block/sda/size', '2048\n')
    write('sys/block/sda/dev', '8:0\n')
    write('sys/block/sda/queue/rotational', '0\n')
    write('sys/block/sda/device/model', 'ACME SSD  \n')
    write('sys/block/sda/device/vpd_pg80', '\0\x80\0\x08  SER123')
    write('sys/block/loop0/size', '10\n')
    write('run/udev/data/b8:0', 'S:disk/by-id/x\nE:ID_WWN=0x5000\nE:ID_SERIAL_SHORT=other\n')
    expect(await disks()).toEqual([
      { name: 'sda', serial: 'SER123', model: 'ACME SSD', wwn: '0x5000', size_bytes: 1_048_576, is_rotational: false },
    ])
  })

  it('tells the disk and the UUID of each filesystem, through partitions and mappings', async () => {
    mounts([
      '8:1 / /data/1 rw - xfs /dev/sda1 rw',
      '8:1 /pods/x /pods/x rw - xfs /dev/sda1 rw',
      '253:0 / /data/2 rw - xfs /dev/mapper/vg-two rw',
    ])
    for (const [link, target] of [
      ['sys/dev/block/8:1', '../../devices/block/sda/sda1'],
      ['sys/dev/block/253:0', '../../devices/block/dm-0'],
      ['sys/class/block/sda1', '../../devices/block/sda/sda1'],
      ['sys/class/block/dm-0', '../../devices/block/dm-0'],
      ['dev/disk/by-uuid/UUID-2', '../../dm-0'],
    ] as const) {
      mkdirSync(dirname(join(root.path, link)), { recursive: true })
      symlinkSync(target, join(root.path, link))
    }
    write('sys/devices/block/sda/sda1/partition', '1\n')
    write('sys/devices/block/dm-0/slaves/sdb', '')
    write('run/udev/data/b8:1', 'E:ID_FS_UUID=uuid-1\n')
    const before = await filesystems()
    expect(before.map(describeFilesystem)).toEqual([
      { source: '/dev/sda1', uuid: 'uuid-1', fs_type: 'xfs', mount_points: ['/data/1'], disk: 'sda' },
      { source: '/dev/mapper/vg-two', uuid: 'uuid-2', fs_type: 'xfs', mount_points: ['/data/2'], disk: 'sdb' },
    ])
    expect(duplicateUuids(before)).toEqual([])
    write('run/udev/data/b8:1', 'E:ID_FS_UUID=uuid-2\n')
    expect(duplicateUuids(await filesystems())).toEqual([
      expect.objectContaining({
        code: 'duplicate_fs_uuid',
        subject: 'uuid-2',
        message: expect.stringContaining('/dev/sda1 and /dev/mapper/vg-two'),
      }),
    ])
  })

  it('are null where nothing tells', async () => {
    mounts(['8:1 / /data rw - xfs /dev/sda1 rw', '0:40 / /tank rw - zfs tank rw'])
    write('sys/block/sda/device/type', '0\n')
    expect(await disks()).toEqual([
      { name: 'sda', serial: null, model: null, wwn: null, size_bytes: null, is_rotational: null },
    ])
    expect((await filesystems()).map(({ uuid, disk }) => [uuid, disk])).toEqual([
      [null, 'sda1'],
      [null, null],
    ])
  })
})
