import type { InventoryProblem } from '@roost/api-types/agent'
import { mountCheckOff, swiftConfUnreadable } from '@roost/api-types/checks'
import type { Machine } from '../../machine/machine.js'
import { type Ini, isTrue, parseIni } from './ini.js'
import { readServerFiles } from './server-files.js'
import { unlessDenied } from '../../machine/try-read.js'

/** The settings of a storage server that concern its devices. */
export interface StorageServer {
  readonly kind: ServerKind
  /** Its address in the rings; null when it listens on every address of the machine. */
  readonly address: string | null
  readonly port: number | null
  /** The folder of its mount points. */
  readonly devices: string
  readonly mountCheck: boolean
  /** Where it reads the rings; null: in Swift's folder. */
  readonly ringDirectory: string | null
  /** Where its daemons keep the results of their passes; null: in Swift's default. */
  readonly reconCacheDirectory: string | null
}

export interface SwiftServers {
  readonly storage: readonly StorageServer[]
  /** True if this node has a configuration of a proxy. */
  readonly hasProxy: boolean
  readonly problems: readonly InventoryProblem[]
}

export const serverKinds = ['object', 'container', 'account'] as const
export type ServerKind = (typeof serverKinds)[number]

/** Reads the configuration of Swift's servers: one file, a folder of pieces, or a folder with one file an instance. */
export function readSwiftServers(machine: Machine, swiftDirectory: string): SwiftServers {
  const problems: InventoryProblem[] = []
  const onFault = (path: string, error: unknown) =>
    problems.push(...swiftConfUnreadable.find({ path, error: String((error as NodeJS.ErrnoException).code) }))
  const storage = serverKinds.flatMap((kind) =>
    readServerFiles(machine, swiftDirectory, `${kind}-server`, onFault).flatMap(
      ({ texts }) => parseStorageServer(kind, texts) ?? [],
    ),
  )
  const proxy = `${swiftDirectory}/proxy-server`
  const hasProxy =
    unlessDenied(() => machine.stamp(`${proxy}.conf`)) !== undefined ||
    (unlessDenied(() => machine.list(`${proxy}.conf.d`)) ?? []).length > 0
  return { storage, hasProxy, problems: [...problems, ...uncheckedMounts(storage)] }
}

/** Reports servers that write to the disk below when a device is not mounted. */
function uncheckedMounts(servers: readonly StorageServer[]): readonly InventoryProblem[] {
  const folders = new Set(servers.filter(({ mountCheck }) => !mountCheck).map(({ devices }) => devices))
  return [...folders].flatMap((devices) => mountCheckOff.find({ devices }))
}

const anyAddress = new Set(['0.0.0.0', '::', '0:0:0:0:0:0:0:0'])

/** Parses the settings of a server from the texts that it merges; undefined without a configuration. */
function parseStorageServer(kind: ServerKind, texts: readonly string[]): StorageServer | undefined {
  const sections = parseIni(...texts)
  const settings = sections.get('DEFAULT')
  if (settings === undefined) return undefined
  const address = settings.get('ring_ip') ?? settings.get('bind_ip') ?? '0.0.0.0'
  const port = Number(settings.get('bind_port') ?? Number.NaN)
  return {
    kind,
    address: anyAddress.has(address) ? null : address,
    port: Number.isInteger(port) ? port : null,
    devices: settings.get('devices') ?? '/srv/node',
    mountCheck: isTrue(settings.get('mount_check') ?? 'true'),
    ...foldersIn(sections),
  }
}

/** The middleware and each daemon have the path of the cache in sections of their own. */
function foldersIn(sections: Ini): Pick<StorageServer, 'ringDirectory' | 'reconCacheDirectory'> {
  const paths = [...sections.values()].map((settings) => settings.get('recon_cache_path'))
  return {
    ringDirectory: sections.get('DEFAULT')?.get('swift_dir') ?? null,
    reconCacheDirectory: paths.find((path) => path !== undefined) ?? null,
  }
}
