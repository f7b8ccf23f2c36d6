import { isAbsolute, join } from 'node:path'
import { ConfigError, readSystemdOptions, type SystemdOptions } from '@roost/runtime'
import { type ConfigFile, readConfigFile } from './config/config-file.js'
import type { AccessLog } from './swift/access-log/transfer-usage.js'
import type { UpgradeSettings } from './upgrade/permission.js'

export interface DeclaredDevice {
  readonly name: string
  readonly mountPoint: string
  /** Indexes into the declared policies, ascending. */
  readonly policies: readonly number[]
}

export interface StatsdConfig {
  /** `true`: the agent listens. Null: it listens where there is a `swift.conf`. */
  readonly enabled: boolean | null
  readonly address: string
  readonly port: number
  /** How many names of counters and timers are taken. */
  readonly maxNames: number
}

export interface GatewayConfig {
  /** The server of NFS; null: the one that runs, else the one that is installed. */
  readonly nfs: 'kernel' | 'ganesha' | null
  readonly mounts: 'rclone' | 'operator'
  readonly mountDirectory: string
  readonly cacheDirectory: string
  readonly account: string
}

export interface UsageConfig {
  readonly storageIntervalMs: number
  readonly transferIntervalMs: number
  /** Null: nothing is known of what a proxy moves here. */
  readonly accessLog: AccessLog | null
}

/** The settings that decide how the machine is read. */
export interface InventoryConfig {
  /** Before every path of the machine that the agent reads; `/` on a real one. */
  readonly root: string
  /** Flags that stand against what is detected. */
  readonly roles: Readonly<NonNullable<ConfigFile['roles']>>
  readonly swiftDirectory: string
  readonly proxyReloadMs: number
  /** How often the dispersion of Swift's copies is measured; null: never. */
  readonly dispersionMs: number | null
  /** Where the rings are: `swift_dir` of Swift's servers. */
  readonly ringDirectory: string
  readonly reconCacheDirectory: string
  /** False: the configuration of Swift's servers decides. */
  readonly isReconCacheDirectorySet: boolean
  readonly statsd: StatsdConfig
  readonly usage: UsageConfig
  readonly devicesDirectory: string | null
  /** The addresses under which the rings know this node; null: those of its interfaces. */
  readonly ringAddresses: readonly string[] | null
  /** Devices of a node without rings. */
  readonly declaredDevices: 'local-filesystems' | readonly DeclaredDevice[] | null
  /** Names by index; the first is the default. */
  readonly declaredPolicies: readonly string[]
}

export interface AgentConfig extends InventoryConfig, SystemdOptions {
  /** Identity, spool and configuration; absolute. */
  readonly dataDir: string
  readonly configFile: string
  readonly gateway: GatewayConfig
  readonly upgrades: UpgradeSettings
}

/** Options of the command line; they override environment and file. */
export interface ConfigOptions {
  readonly dataDir?: string
  readonly root?: string
  readonly config?: string
}

/** Where the agent keeps its state by default. */
export const defaultDataDir = '/var/lib/roost-agent'

const knownVariables: readonly string[] = ['ROOST_AGENT_DATA_DIR']

/** Reads environment and configuration file. Throws ConfigError with every fault at once. */
export function readConfig(options: ConfigOptions = {}, env: NodeJS.ProcessEnv = process.env): AgentConfig {
  const faults = unknownVariables(env)
  const dataDir = options.dataDir ?? (env.ROOST_AGENT_DATA_DIR || defaultDataDir)
  requireAbsolute(options.dataDir === undefined ? 'ROOST_AGENT_DATA_DIR' : '--data-dir', dataDir, faults)
  if (options.root !== undefined) requireAbsolute('--root', options.root, faults)

  const configFile = options.config ?? join(dataDir, 'config.json')
  const file = readConfigFile(configFile, options.config !== undefined, faults)
  const inventory = inventoryConfig(options, file, configFile, faults)
  if (faults.length > 0) throw new ConfigError(faults)
  return {
    ...inventory,
    dataDir,
    configFile,
    gateway: gatewayConfig(dataDir, file.gateway),
    upgrades: { isAllowed: file.upgrades !== 'off', oldest: file.upgrades_oldest ?? null },
    ...readSystemdOptions(env),
  }
}

/** Returns true if a variable of the agent is set. */
export function hasVariables(env: NodeJS.ProcessEnv = process.env): boolean {
  return knownVariables.some((name) => (env[name] ?? '') !== '')
}

function unknownVariables(env: NodeJS.ProcessEnv): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('ROOST_AGENT_') && !knownVariables.includes(name))
    .map((name) => `Unknown variable ${name}. Known variables: ${knownVariables.join(', ')}.`)
}

function requireAbsolute(name: string, path: string, faults: string[]): void {
  if (!isAbsolute(path)) faults.push(`${name} must be an absolute path, but is '${path}'.`)
}

function inventoryConfig(options: ConfigOptions, file: ConfigFile, path: string, faults: string[]): InventoryConfig {
  const declaredPolicies = file.policies ?? ['default']
  const twice = repeated(declaredPolicies.map((name) => name.toLowerCase()))
  if (twice !== undefined) faults.push(`${path}: the policy ${twice} appears twice in policies.`)
  return {
    root: options.root ?? file.root ?? '/',
    roles: file.roles ?? {},
    ...swiftConfig(file.swift ?? {}),
    statsd: statsdConfig(file.statsd ?? {}),
    usage: usageConfig(file.usage ?? {}, path, faults),
    declaredDevices: declaredDevices(file.devices, declaredPolicies, path, faults),
    declaredPolicies,
  }
}

function swiftConfig(swift: NonNullable<ConfigFile['swift']>) {
  return {
    swiftDirectory: swift.directory ?? '/etc/swift',
    ringDirectory: swift.directory ?? '/etc/swift',
    reconCacheDirectory: swift.recon_cache_directory ?? '/var/cache/swift',
    isReconCacheDirectorySet: swift.recon_cache_directory !== undefined,
    devicesDirectory: swift.devices_directory ?? null,
    ringAddresses: swift.addresses ?? null,
    proxyReloadMs: (swift.proxy_reload_seconds ?? 60) * 1000,
    dispersionMs: swift.dispersion_hours === undefined ? null : swift.dispersion_hours * 3_600_000,
  }
}

function statsdConfig(statsd: NonNullable<ConfigFile['statsd']>): StatsdConfig {
  return {
    enabled: statsd.enabled ?? null,
    address: statsd.address ?? '127.0.0.1',
    port: statsd.port ?? 8125,
    maxNames: statsd.max_names ?? 1_000,
  }
}

function gatewayConfig(dataDir: string, gateway: NonNullable<ConfigFile['gateway']> = {}): GatewayConfig {
  return {
    nfs: gateway.nfs ?? null,
    mounts: gateway.mounts ?? 'rclone',
    mountDirectory: gateway.mount_directory ?? '/srv/roost/shares',
    cacheDirectory: gateway.cache_directory ?? join(dataDir, 'mounts', 'cache'),
    account: gateway.account ?? 'nobody',
  }
}

function usageConfig(usage: NonNullable<ConfigFile['usage']>, path: string, faults: string[]): UsageConfig {
  const { access_log: file, access_log_udp: udp } = usage
  if (file !== undefined && udp !== undefined)
    faults.push(
      `${path}: usage has both access_log and access_log_udp, so that requests would be counted twice. Remove one of them.`,
    )
  const ofUdp = udp && ({ kind: 'udp', address: udp.address ?? '127.0.0.1', port: udp.port } as const)
  return {
    storageIntervalMs: (usage.storage_interval_seconds ?? 600) * 1_000,
    transferIntervalMs: (usage.transfer_interval_seconds ?? 300) * 1_000,
    accessLog: file === undefined ? (ofUdp ?? null) : { kind: 'file', path: file },
  }
}

function declaredDevices(
  devices: ConfigFile['devices'],
  policies: readonly string[],
  path: string,
  faults: string[],
): InventoryConfig['declaredDevices'] {
  if (devices === undefined || devices === 'local-filesystems') return devices ?? null
  const twice = repeated(devices.map((device) => device.mount_point))
  if (twice !== undefined) faults.push(`${path}: the mount point ${twice} appears twice in devices.`)
  return devices.map((device, i) => {
    const names = device.policies ?? policies.slice(0, 1)
    const unknown = names.filter((name) => !policies.includes(name))
    if (unknown.length > 0)
      faults.push(`${path}: devices.${i}.policies names ${unknown.join(', ')}, which is not declared under "policies".`)
    const indexes = new Set(names.map((name) => policies.indexOf(name)))
    return { name: device.name, mountPoint: device.mount_point, policies: [...indexes].toSorted((a, b) => a - b) }
  })
}

function repeated(values: readonly string[]): string | undefined {
  return values.find((value, i) => values.indexOf(value) !== i)
}
