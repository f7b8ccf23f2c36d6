import type { Machine } from '../../machine/machine.js'
import { type Ini, parseIni } from '../config/ini.js'
import { readServerFiles } from '../config/server-files.js'
import type { CacheName, LastPass } from './last-pass.js'

/** A server that its configuration lets listen. */
export interface ConfiguredServer {
  /** Such as `object-server`. */
  readonly name: string
  readonly path: string
  readonly host: string
  readonly port: number
  readonly hasTls: boolean
}

/** A background daemon that has a section in a configuration. */
export interface ConfiguredDaemon {
  /** Such as `object-updater`. */
  readonly name: string
  readonly path: string
  readonly intervalSeconds: number
  /** Which of recon's caches has its results; null where it writes none. */
  readonly cache: CacheName | null
  readonly lastPass: LastPass | null
  /** A pass may take so long on a large node. */
  readonly longestPassSeconds: number
}

/** Where a device of this node is by an object ring. */
export interface RingAddress {
  readonly ip: string
  readonly port: number
}

export interface ConfiguredServices {
  readonly servers: readonly ConfiguredServer[]
  readonly daemons: readonly ConfiguredDaemon[]
}

const usualPorts = { 'object-server': 6200, 'container-server': 6201, 'account-server': 6202, 'proxy-server': 8080 }

interface DaemonKind extends Omit<ConfiguredDaemon, 'path' | 'intervalSeconds'> {
  /** The configuration that has its section. */
  readonly file: string
  readonly usualInterval: number
}

const hour = 3_600

function daemon(
  file: string,
  name: string,
  usualInterval: number,
  lastPass: LastPass | null,
  longestPassSeconds = 4 * hour,
): DaemonKind {
  const cache = lastPass?.cache ?? null
  return { file, name, usualInterval, cache, lastPass, longestPassSeconds }
}

const ended = (cache: CacheName, key: string): LastPass => ({ cache, key, is: 'time' })
const changes = (cache: CacheName, key: string): LastPass => ({ cache, key, is: 'result' })
/** Replicators have a check of their own: the control plane judges the age of their passes. */
const replicates = (cache: CacheName, key: string): LastPass => ({ cache, key, is: 'elsewhere' })

/** Auditors report at least once an hour during a pass, which may take weeks. */
const daemonKinds: readonly DaemonKind[] = [
  daemon('object-server', 'object-replicator', 30, replicates('object', 'object_replication_last')),
  daemon('object-server', 'object-reconstructor', 30, ended('object', 'object_reconstruction_last'), 24 * hour),
  daemon('object-server', 'object-updater', 300, changes('object', 'object_updater_sweep')),
  daemon('object-server', 'object-auditor', 30, changes('object', 'object_auditor_stats_ALL')),
  daemon('container-server', 'container-replicator', 30, replicates('container', 'replication_last')),
  daemon('container-server', 'container-updater', 300, changes('container', 'container_updater_sweep')),
  daemon('container-server', 'container-auditor', 1_800, changes('container', 'container_audits_since')),
  daemon('container-server', 'container-sharder', 30, ended('container', 'sharding_last')),
  daemon('account-server', 'account-replicator', 30, replicates('account', 'replication_last')),
  daemon('account-server', 'account-auditor', 1_800, changes('account', 'account_audits_since')),
  daemon('account-server', 'account-reaper', 3_600, null),
  daemon('object-expirer', 'object-expirer', 300, changes('object', 'object_expiration_pass')),
  daemon('container-reconciler', 'container-reconciler', 30, null),
]

/** Reads which servers and daemons this node is configured to run. What cannot be read is a problem of the inventory. */
export function readConfigured(
  machine: Machine,
  swiftDirectory: string,
  ringAddresses: readonly RingAddress[] = [],
): ConfiguredServices {
  const names = [...new Set([...Object.keys(usualPorts), ...daemonKinds.map(({ file }) => file)])]
  const files = names.flatMap((name) =>
    readServerFiles(machine, swiftDirectory, name, () => {}).map(({ path, texts }) => ({
      name,
      path,
      config: parseIni(...texts),
    })),
  )
  return {
    servers: files.flatMap(({ name, path, config }) => serversOf({ name, path, config }, ringAddresses)),
    daemons: files.flatMap(({ name, path, config }) =>
      daemonKinds.flatMap(({ file, usualInterval, ...kind }) => {
        const section = config.get(kind.name)
        if (file !== name || section === undefined) return []
        const interval = Number(section.get('interval') ?? usualInterval)
        return { ...kind, path, intervalSeconds: Number.isFinite(interval) ? interval : usualInterval }
      }),
    ),
  }
}

const anyAddress = new Set(['0.0.0.0', '::', '0:0:0:0:0:0:0:0', ''])

interface ServerFile {
  readonly name: string
  readonly path: string
  readonly config: Ini
}

function serversOf(
  { name, path, config }: ServerFile,
  ringAddresses: readonly RingAddress[],
): readonly ConfiguredServer[] {
  const settings = config.get(`app:${name}`) ?? config.get('DEFAULT')
  if (!isServer(name) || settings === undefined) return []
  const hasTls = (settings.get('cert_file') ?? '') !== ''
  const address = settings.get('bind_ip')
  const at = (host: string, port: number) => ({ name, path, host, port, hasTls })
  // Object servers with a port for each disk listen on those of the rings, and not on bind_port.
  if (Number(settings.get('servers_per_port')) > 0)
    return portsOf(address, ringAddresses).map((port) => at(hostOf(address), port))
  const port = Number(settings.get('bind_port') ?? usualPorts[name])
  return isPort(port) ? [at(hostOf(address), port)] : []
}

/** Returns the ports of the devices on an address. Servers that listen on every address have those of all devices of the node. */
function portsOf(address: string | undefined, ringAddresses: readonly RingAddress[]): readonly number[] {
  const isAny = address === undefined || anyAddress.has(address)
  const own = ringAddresses.filter(({ ip }) => isAny || ip === address)
  return [...new Set(own.map(({ port }) => port))].toSorted((one, other) => one - other)
}

function hostOf(address: string | undefined): string {
  return address === undefined || anyAddress.has(address) ? '127.0.0.1' : address
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port < 65_536
}

function isServer(name: string): name is keyof typeof usualPorts {
  return Object.hasOwn(usualPorts, name)
}
