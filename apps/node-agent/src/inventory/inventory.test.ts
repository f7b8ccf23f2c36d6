import { cpSync, mkdirSync, rmSync, symlinkSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AgentConfig } from '../config.js'
import { readInventory } from './testing/read-inventory.js'
import { useWrittenRoot } from './testing/written-root.js'

const lab = fileURLToPath(new URL('fixtures/lab', import.meta.url))

const root = useWrittenRoot()
const { write, mounts } = root
const read = (more: Partial<AgentConfig> = {}) => readInventory(root.path, more)

describe('the inventory of a Swift node', () => {
  beforeEach(() => {
    cpSync(lab, root.path, { recursive: true })
    mkdirSync(join(root.path, 'srv/node/d3'), { recursive: true })
  })

  it('has the devices of its own address with their policies', async () => {
    const first = await read({ ringAddresses: ['127.0.2.1'] })
    const second = await read({ ringAddresses: ['127.0.2.2'] })
    const sets = [first, second].map(({ devices }) => devices?.map(({ name, policies }) => [name, policies]))
    expect(sets).toEqual([
      [
        ['d1', [0, 1]],
        ['d2', [0]],
      ],
      [
        ['d3', [0, 1]],
        ['d4', [0]],
        ['d5', [1]],
      ],
    ])
    expect(first.policies?.map(({ name }) => name)).toEqual(['gold', 'silver'])
    expect(first.rings.map(({ name, devices }) => [name, devices])).toEqual([
      ['account', 4],
      ['container', 4],
      ['object-1', 3],
      ['object', 4],
    ])
    expect(first.problems).toEqual([])
    expect(second.devices?.at(-1)?.rings).toMatchObject([{ ring: 'object-1', zone: 2, weight: 40, partitions: 21 }])
  })

  it('tells an empty mount point from a missing one', async () => {
    const { devices } = await read({ ringAddresses: ['127.0.2.2'] })
    expect(devices?.map(({ name, status }) => [name, status])).toEqual([
      ['d3', 'unmounted'],
      ['d4', 'missing'],
      ['d5', 'missing'],
    ])
  })

  it('knows from fstab which disk is pulled and which is only not mounted', async () => {
    write('proc/version', 'Linux\n')
    write('etc/fstab', '# devices\nUUID=AA-1 /srv/node/d3 xfs noatime 0 0\nUUID="BB-2" /srv/node/d4 xfs noatime 0 0\n')
    mkdirSync(join(root.path, 'srv/node/d4'))
    mkdirSync(join(root.path, 'dev/disk/by-uuid'), { recursive: true })
    symlinkSync('../../sda1', join(root.path, 'dev/disk/by-uuid/AA-1'))
    const { devices } = await read({ ringAddresses: ['127.0.2.2'] })
    expect(devices?.map(({ name, status, uuid }) => [name, status, uuid])).toEqual([
      ['d3', 'unmounted', 'aa-1'],
      ['d4', 'missing', null],
      ['d5', 'missing', null],
    ])
  })

  it('detects its role from the rings, and lets the configuration say otherwise', async () => {
    const config = { ringAddresses: ['127.0.2.1'] }
    expect((await read(config)).roles).toEqual({
      runs_account_container: true,
      runs_gateway: false,
      runs_object: true,
      runs_proxy: false,
    })
    expect((await read({ ...config, roles: { runs_object: false, runs_proxy: true } })).roles).toMatchObject({
      runs_account_container: true,
      runs_object: false,
      runs_proxy: true,
    })
  })

  it('takes the addresses to which its servers are bound for its own', async () => {
    write('etc/swift/object-server/1.conf', '[DEFAULT]\nbind_ip = 127.0.2.1\nbind_port = 6200\ndevices = /data/n1\n')
    mkdirSync(join(root.path, 'data/n1/d2'), { recursive: true })
    const { devices, facing } = await read()
    expect(devices?.map(({ name, status }) => [name, status])).toEqual([
      ['d1', 'missing'],
      ['d2', 'unmounted'],
    ])
    expect(facing).toEqual({ cluster_ip: '127.0.2.1', outward_ip: '10.0.0.7', replication_ip: '127.0.2.1' })
  })

  it('says so when a storage server’s rings know none of its addresses', async () => {
    write('etc/swift/object-server.conf', '[DEFAULT]\nbind_ip = 0.0.0.0\n')
    const { devices, problems } = await read()
    expect(devices).toEqual([])
    expect(problems).toEqual([expect.objectContaining({ code: 'no_own_device' })])
  })

  it('has no devices while a ring is damaged, so that the last good ones stay', async () => {
    truncateSync(join(root.path, 'etc/swift/object-1.ring.gz'), 40)
    const { devices, policies, problems } = await read({ ringAddresses: ['127.0.2.1'] })
    expect(devices).toBeNull()
    expect(policies).toHaveLength(2)
    expect(problems).toEqual([
      {
        code: 'ring_unreadable',
        severity: 'critical',
        subject: '/etc/swift/object-1.ring.gz',
        message: expect.stringMatching(/^The ring .* cannot be used: it is not a complete gzip file .* Its last known/),
        remedy: 'Its last known devices are kept. Copy the ring from another node again.',
      },
    ])
  })

  it('has neither devices nor policies while swift.conf cannot be used', async () => {
    write('etc/swift/swift.conf', '[storage-policy:0]\n')
    const { devices, policies, problems } = await read({ ringAddresses: ['127.0.2.1'] })
    expect([devices, policies]).toEqual([null, null])
    expect(problems).toEqual([
      expect.objectContaining({ code: 'swift_conf_invalid', subject: '/etc/swift/swift.conf' }),
    ])
  })

  it('keeps what is known while Swift’s folder cannot be read', async () => {
    rmSync(join(root.path, 'etc/swift'), { recursive: true })
    symlinkSync('swift', join(root.path, 'etc/swift'))
    const { devices, policies, problems } = await read()
    expect([devices, policies]).toEqual([null, null])
    expect(problems).toEqual([expect.objectContaining({ code: 'swift_conf_unreadable', subject: '/etc/swift' })])
  })

  it('warns of servers that do not look whether a device is mounted', async () => {
    write('etc/swift/object-server.conf', '[DEFAULT]\nbind_ip = 127.0.2.1\nmount_check = false\n')
    expect((await read()).problems).toEqual([
      expect.objectContaining({ code: 'mount_check_off', subject: '/srv/node' }),
    ])
  })

  it('says which of rings and swift.conf is behind', async () => {
    write('etc/swift/swift.conf', '[storage-policy:0]\nname = gold\ndefault = 1\n[storage-policy:7]\nname = new\n')
    const { devices, problems } = await read({ ringAddresses: ['127.0.2.1'] })
    expect(devices?.map(({ policies }) => policies)).toEqual([[0], [0]])
    expect(problems.map(({ code, subject }) => [code, subject])).toEqual([
      ['ring_missing', '/etc/swift/object-7.ring.gz'],
      ['ring_without_policy', '/etc/swift/object-1.ring.gz'],
    ])
  })
})

describe('the inventory of a machine without Swift', () => {
  it('has the devices that the configuration declares', async () => {
    mounts(['8:1 / /data/1 rw - xfs /dev/sda1 rw'])
    const { devices, policies } = await read({
      declaredPolicies: ['gold', 'silver'],
      declaredDevices: [
        { name: 'one', mountPoint: '/data/1', policies: [0, 1] },
        { name: 'two', mountPoint: '/data/2', policies: [1] },
      ],
    })
    expect(devices?.map(({ key, name, policies: indexes, status }) => [key, name, indexes, status])).toEqual([
      ['/data/1', 'one', [0, 1], 'failed'],
      ['/data/2', 'two', [1], 'missing'],
    ])
    expect(policies?.map(({ index, name, is_default }) => [index, name, is_default])).toEqual([
      [0, 'gold', true],
      [1, 'silver', false],
    ])
  })

  it('looks for no folder below another mount, which may hang', async () => {
    mounts(['0:60 / /mnt/far rw - nfs4 server:/ rw'])
    const { devices } = await read({ declaredDevices: [{ name: 'd', mountPoint: '/mnt/far/d', policies: [0] }] })
    expect(devices?.map(({ status }) => status)).toEqual(['unmounted'])
  })

  it('declares each local filesystem once, and none that cannot hold data', async () => {
    mounts([
      '8:1 / / rw - ext4 /dev/sda1 rw',
      '8:1 /x /bind rw - ext4 /dev/sda1 rw',
      '8:2 / /boot/efi rw - vfat /dev/sda2 rw',
      '8:3 / /media/rescue ro - ext4 /dev/sda3 ro',
      '0:50 / /tank rw - zfs tank rw',
      '0:51 / /tank/home rw - zfs tank/home rw',
      '0:52 / /home rw - nfs4 server:/home rw',
      '0:53 / /tmp rw - tmpfs tmpfs rw',
    ])
    const { devices, policies } = await read({ declaredDevices: 'local-filesystems' })
    expect(devices?.map(({ name, mount_point, policies: indexes }) => [name, mount_point, indexes])).toEqual([
      ['/', '/', [0]],
      ['tank', '/tank', [0]],
    ])
    expect(policies?.map(({ name }) => name)).toEqual(['default'])
  })

  it('has no policies when its configuration declares no devices: nodes with rings report those of its cluster', async () => {
    const { devices, policies } = await read({ declaredDevices: [] })
    expect([devices, policies]).toEqual([[], []])
  })

  it('declares nothing unless it is configured to', async () => {
    mounts(['8:1 / / rw - ext4 /dev/sda1 rw'])
    expect(await read()).toMatchObject({ devices: [], policies: [], rings: [] })
  })

  it('is a gateway by a server that runs, and by its preparation while none does', async () => {
    write('proc/12/comm', 'ganesha.nfsd\n')
    expect((await read()).roles.runs_gateway).toBe(true)
    write('proc/12/comm', 'bash\n')
    expect((await read()).roles.runs_gateway).toBe(false)
    write('usr/sbin/smbd', '')
    write('etc/samba/smb.conf', '[global]\n  include = /etc/samba/roost.d/shares.conf\n')
    expect((await read()).roles.runs_gateway).toBe(true)
  })

  it('reads the host', async () => {
    write('etc/os-release', 'NAME=x\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n')
    write('proc/sys/kernel/hostname', 'store-1\n')
    write('proc/sys/kernel/osrelease', '6.1.0\n')
    write('proc/meminfo', 'MemTotal:       2048 kB\nMemFree: 1 kB\n')
    write('proc/cpuinfo', 'processor\t: 0\nmodel name\t: ACME 1\n\nprocessor\t: 1\nmodel name\t: ACME 1\n')
    const { host, addresses } = await read()
    expect(host).toMatchObject({
      hostname: 'store-1',
      os: 'Debian GNU/Linux 12 (bookworm)',
      kernel: '6.1.0',
      cpu_model: 'ACME 1',
      cpu_cores: 2,
      memory_bytes: 2_097_152,
    })
    expect(addresses).toEqual([
      { interface: 'lo', address: '127.0.0.1', family: 'ipv4', mac: null },
      { interface: 'eth0', address: '10.0.0.7', family: 'ipv4', mac: '02:aa:00:00:00:01' },
    ])
  })
})
