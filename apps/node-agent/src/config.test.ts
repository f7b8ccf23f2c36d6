import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConfigError } from '@roost/runtime'
import { readConfig } from './config.js'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'roost-config-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

function write(content: unknown): void {
  writeFileSync(join(dir, 'config.json'), typeof content === 'string' ? content : JSON.stringify(content))
}

function faults(env: NodeJS.ProcessEnv = { ROOST_AGENT_DATA_DIR: dir }): readonly string[] {
  try {
    readConfig({}, env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

describe('the agent’s configuration', () => {
  it('needs no file and no variable', () => {
    const config = readConfig({ dataDir: dir }, {})
    expect(config).toEqual({
      dataDir: dir,
      configFile: join(dir, 'config.json'),
      root: '/',
      roles: {},
      gateway: {
        nfs: null,
        mounts: 'rclone',
        mountDirectory: '/srv/roost/shares',
        cacheDirectory: join(dir, 'mounts', 'cache'),
        account: 'nobody',
      },
      upgrades: { isAllowed: true, oldest: null },
      swiftDirectory: '/etc/swift',
      ringDirectory: '/etc/swift',
      isReconCacheDirectorySet: false,
      reconCacheDirectory: '/var/cache/swift',
      statsd: { enabled: null, address: '127.0.0.1', port: 8125, maxNames: 1_000 },
      usage: { storageIntervalMs: 600_000, transferIntervalMs: 300_000, accessLog: null },
      devicesDirectory: null,
      ringAddresses: null,
      proxyReloadMs: 60_000,
      dispersionMs: null,
      declaredDevices: null,
      declaredPolicies: ['default'],
      notifySocket: null,
      watchdogMs: null,
    })
    expect(readConfig({}, {}).dataDir).toBe('/var/lib/roost-agent')
  })

  it('lets the command line win over the environment and the file', () => {
    write({ root: '/from-file' })
    const env = { ROOST_AGENT_DATA_DIR: '/elsewhere' }
    expect(readConfig({ dataDir: dir }, env)).toMatchObject({ dataDir: dir, root: '/from-file' })
    expect(readConfig({ dataDir: dir, root: '/from-line' }, env).root).toBe('/from-line')
  })

  it('takes the NFS server and the folder of mounts of a gateway', () => {
    write({ gateway: { nfs: 'ganesha', mount_directory: '/data/shares' } })
    expect(readConfig({ dataDir: dir }, {}).gateway).toMatchObject({ nfs: 'ganesha', mountDirectory: '/data/shares' })
    write({ gateway: { nfs: 'both', mount_directory: '/data/../etc' } })
    expect(faults()).toEqual([
      expect.stringContaining('gateway.nfs must be "kernel" or "ganesha".'),
      expect.stringContaining(
        'gateway.mount_directory must be an absolute path of letters, digits, dots, hyphens and underscores.',
      ),
    ])
  })

  it('reads which upgrades the node allows', () => {
    write({ upgrades: 'off', upgrades_oldest: '0.2.0~dev.1' })
    expect(readConfig({ dataDir: dir }, {}).upgrades).toEqual({ isAllowed: false, oldest: '0.2.0~dev.1' })
    write({ upgrades: 'no', upgrades_oldest: 'latest' })
    expect(faults()).toEqual([
      expect.stringContaining('upgrades must be "on" or "off".'),
      expect.stringContaining('upgrades_oldest must be a version, such as "0.2.0".'),
    ])
  })

  it('takes declared devices with their policies by index', () => {
    write({
      policies: ['gold', 'silver'],
      devices: [
        { name: 'd1', mount_point: '/data/1', policies: ['silver', 'gold'] },
        { name: 'd2', mount_point: '/data/2' },
        { name: 'd3', mount_point: '/data/3', policies: [] },
      ],
    })
    expect(readConfig({ dataDir: dir }, {}).declaredDevices).toEqual([
      { name: 'd1', mountPoint: '/data/1', policies: [0, 1] },
      { name: 'd2', mountPoint: '/data/2', policies: [0] },
      { name: 'd3', mountPoint: '/data/3', policies: [] },
    ])
  })

  it('takes every local filesystem as a device when configured so', () => {
    write({ devices: 'local-filesystems' })
    expect(readConfig({ dataDir: dir }, {}).declaredDevices).toBe('local-filesystems')
  })

  it('takes where Swift says something of itself', () => {
    write({
      swift: { recon_cache_directory: '/srv/cache', proxy_reload_seconds: 120, dispersion_hours: 6 },
      statsd: { enabled: true, address: '::1', port: 9125, max_names: 50 },
    })
    expect(readConfig({ dataDir: dir }, {})).toMatchObject({
      reconCacheDirectory: '/srv/cache',
      proxyReloadMs: 120_000,
      dispersionMs: 21_600_000,
      statsd: { enabled: true, address: '::1', port: 9125, maxNames: 50 },
    })
  })

  it('lists every fault at once', () => {
    write({
      rot: '/',
      root: 'here',
      roles: { runs_proxy: 'yes' },
      swift: { addresses: ['10.0.0.300'] },
      devices: [{ name: 'a b', mount_point: 'x' }],
    })
    const found = faults({ ROOST_AGENT_DATA_DIR: dir, ROOST_AGENT_DATADIR: 'x' })
    const file = join(dir, 'config.json')
    expect(found).toEqual([
      'Unknown variable ROOST_AGENT_DATADIR. Known variables: ROOST_AGENT_DATA_DIR.',
      `${file}: root must be an absolute path.`,
      `${file}: roles.runs_proxy must be of type boolean.`,
      `${file}: swift.addresses.0 must be an IP address or a host name.`,
      `${file}: devices.0.name must be 1 to 64 characters without spaces or slashes.`,
      `${file}: devices.0.mount_point must be an absolute path.`,
      `${file}: the file has no setting rot.`,
    ])
  })

  it.each([
    [{ devices: 'everything' }, 'devices must be "local-filesystems" or a list of devices.'],
    [
      { devices: [{ name: 'd', mount_point: '/d', policies: ['gold'] }] },
      'names gold, which is not declared under "policies".',
    ],
    [{ policies: ['gold', 'Gold'] }, 'the policy gold appears twice in policies.'],
    [{ policies: [] }, 'policies must name at least one policy.'],
    [{ statsd: { address: 'proxy1' } }, 'statsd.address must be an IP address.'],
    [{ statsd: { port: 0 } }, 'statsd.port must be a whole number from 1 to 65535.'],
    [{ statsd: { max_names: 1.5 } }, 'statsd.max_names must be a whole number from 1 to 5000.'],
    [
      {
        devices: [
          { name: 'a', mount_point: '/d' },
          { name: 'b', mount_point: '/d' },
        ],
      },
      'the mount point /d appears twice in devices.',
    ],
    ['{', 'is not valid JSON'],
    ['[]', 'the file must be of type object.'],
  ])('refuses %j', (content, fault) => {
    write(content)
    expect(faults()).toEqual([expect.stringContaining(fault)])
  })

  it('wants a configuration file that was named to exist', () => {
    expect(() => readConfig({ dataDir: dir, config: join(dir, 'none.json') }, {})).toThrow(/none\.json cannot be read/)
  })

  it('wants an absolute data directory', () => {
    expect(faults({ ROOST_AGENT_DATA_DIR: 'relative' })).toEqual([
      "ROOST_AGENT_DATA_DIR must be an absolute path, but is 'relative'.",
    ])
  })
})
