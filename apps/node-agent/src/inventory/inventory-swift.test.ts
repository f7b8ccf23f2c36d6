import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AgentConfig } from '../config.js'
import { readInventory } from './testing/read-inventory.js'
import { useWrittenRoot } from './testing/written-root.js'

const fixture = (path: string) => fileURLToPath(new URL(`fixtures/${path}`, import.meta.url))

const root = useWrittenRoot()
const { write, mounts } = root
const read = (more: Partial<AgentConfig> = {}) => readInventory(root.path, more)

describe('rings with host names and IPv6 addresses', () => {
  beforeEach(() => {
    write('etc/swift/swift.conf', '[swift-hash]\nswift_hash_path_suffix = secret\n')
    cpSync(fixture('names.ring.gz'), join(root.path, 'etc/swift/object.ring.gz'))
  })

  it('have the devices of all addresses of a name, and of every spelling of an address', async () => {
    const { devices, facing, problems } = await read({ ringAddresses: ['127.0.0.1', 'fd00::7'] })
    expect(devices?.map(({ key, ring }) => [key, ring?.ip])).toEqual([
      ['[FD00:0:0::7]:6200/d2', 'FD00:0:0::7'],
      ['localhost:6200/d1', 'localhost'],
    ])
    expect(['127.0.0.1', 'fd00::7']).toContain(facing.cluster_ip)
    expect(problems).toEqual([])
  })

  it.each([['localhost'], ['::ffff:10.9.9.9']])(
    'have those of an address in the configuration: %s',
    async (address) => {
      const { devices } = await read({ ringAddresses: [address] })
      expect(devices?.map(({ name }) => name)).toEqual([address === 'localhost' ? 'd1' : 'd3'])
    },
  )

  it('find the server of a device by its address in another spelling', async () => {
    write('etc/swift/object-server/1.conf', '[DEFAULT]\nbind_ip = fd00::7\nbind_port = 6200\ndevices = /data/six\n')
    write('etc/swift/object-server/2.conf', '[DEFAULT]\nbind_ip = 10.9.9.9\nbind_port = 6200\ndevices = /data/nine\n')
    mkdirSync(join(root.path, 'data/six/d2'), { recursive: true })
    const { devices } = await read()
    expect(devices?.map(({ name, status }) => [name, status])).toEqual([
      ['d3', 'missing'],
      ['d2', 'unmounted'],
    ])
  })
})

describe('devices of servers with mount_check = false', () => {
  beforeEach(() => {
    cpSync(fixture('lab'), root.path, { recursive: true })
    for (const name of ['d3', 'd4']) mkdirSync(join(root.path, 'srv/node', name), { recursive: true })
    write('etc/swift/object-server.conf', '[DEFAULT]\nbind_ip = 127.0.2.2\nmount_check = false\n')
  })

  async function statuses() {
    const { devices, problems } = await read()
    return [devices?.map(({ name, status }) => [name, status]), problems.map(({ code }) => code)]
  }

  it('are folders of another filesystem, whose space they share', async () => {
    mounts(['8:1 / / rw - ext4 /dev/sda1 rw'])
    const { devices, problems } = await read()
    expect(devices?.map(({ name, status, mount_point: path, uuid }) => [name, status, path, uuid])).toEqual([
      ['d3', 'ok', '/srv/node/d3', null],
      ['d4', 'ok', '/srv/node/d4', null],
      ['d5', 'missing', null, null],
    ])
    expect(devices?.[0]?.figures?.total_bytes).toBeGreaterThan(0)
    expect(problems.map(({ code }) => code)).toEqual(['mount_check_off', 'shared_filesystem'])
  })

  it('are mount points where another device is mounted, or fstab has one', async () => {
    mounts(['8:1 / / rw - ext4 /dev/sda1 rw', '8:2 / /srv/node/d4 rw - xfs /dev/sda2 rw'])
    const expected = [
      ['d3', 'unmounted'],
      ['d4', 'ok'],
      ['d5', 'missing'],
    ]
    expect(await statuses()).toEqual([expected, ['mount_check_off']])
    mounts(['8:1 / / rw - ext4 /dev/sda1 rw'])
    write('etc/fstab', 'LABEL=x /srv/node/d4 xfs noatime 0 0\n')
    expect((await statuses())[0]).toEqual([
      ['d3', 'unmounted'],
      ['d4', 'unmounted'],
      ['d5', 'missing'],
    ])
  })

  it('are mount points where the servers require mounts', async () => {
    mounts(['8:1 / / rw - ext4 /dev/sda1 rw'])
    write('etc/swift/object-server.conf', '[DEFAULT]\nbind_ip = 127.0.2.2\n')
    expect(await statuses()).toEqual([
      [
        ['d3', 'unmounted'],
        ['d4', 'unmounted'],
        ['d5', 'missing'],
      ],
      [],
    ])
  })
})

describe('rings in the swift_dir of the servers', () => {
  it('are read there, and swift.conf in its own folder', async () => {
    cpSync(fixture('lab/etc/swift'), join(root.path, 'srv/rings'), { recursive: true })
    write('etc/swift/swift.conf', '[storage-policy:0]\nname = other\ndefault = 1\n[storage-policy:7]\nname = new\n')
    const { devices, policies, problems } = await read({ ringAddresses: ['127.0.2.1'], ringDirectory: '/srv/rings' })
    expect(devices).toHaveLength(2)
    expect(policies?.map(({ name }) => name)).toEqual(['other', 'new'])
    expect(problems.map(({ code, subject }) => [code, subject])).toContainEqual([
      'ring_missing',
      '/srv/rings/object-7.ring.gz',
    ])
  })
})

describe('the digest of suffix and prefix', () => {
  beforeEach(() => cpSync(fixture('lab'), root.path, { recursive: true }))

  async function digestOf(text: string) {
    write('etc/swift/swift.conf', `${text}\n[storage-policy:0]\nname = gold\n`)
    return read()
  }

  it('depends on both, and on nothing else of swift.conf', async () => {
    const one = await digestOf('[swift-hash]\nswift_hash_path_suffix = abc\nswift_hash_path_prefix = x')
    expect(one.hash_path_digest).toMatch(/^[0-9a-f]{32}$/)
    const same = await digestOf('# moved\n[swift-hash]\nswift_hash_path_prefix: x\nswift_hash_path_suffix:abc\n')
    expect(same.hash_path_digest).toBe(one.hash_path_digest)
    const others = [
      '[swift-hash]\nswift_hash_path_suffix = abd\nswift_hash_path_prefix = x',
      '[swift-hash]\nswift_hash_path_suffix = abc',
      '[swift-hash]\nswift_hash_path_suffix = x\nswift_hash_path_prefix = abc',
    ]
    const digests = new Set([one.hash_path_digest])
    for (const text of others) digests.add((await digestOf(text)).hash_path_digest)
    expect(digests.size).toBe(4)
    expect(JSON.stringify(one)).not.toContain('abc')
  })

  it('is null without both, known beside policies that cannot be used, and unknown without a file', async () => {
    expect((await digestOf('')).hash_path_digest).toBeNull()
    write('etc/swift/swift.conf', '[swift-hash]\nswift_hash_path_suffix = abc\n[storage-policy:0]\n')
    expect(await read()).toMatchObject({ policies: null, hash_path_digest: expect.any(String) })
    rmSync(join(root.path, 'etc/swift/swift.conf'))
    expect((await read()).hash_path_digest).toBeUndefined()
  })
})
