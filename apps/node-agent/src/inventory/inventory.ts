import type { Inventory } from '@roost/api-types/agent'
import type { InventoryConfig } from '../config.js'
import { kernelOf, type Machine } from '../machine/machine.js'
import { localFilesystems, type Mount, readMounts } from '../machine/mounts.js'
import type { RunCommand } from '../machine/run-command.js'
import { describeAddresses, guessFacing, type Interfaces, parseDefaultInterface } from './addresses.js'
import type { DeviceProbe } from './device-probe.js'
import { type ReadDevice, readDevices, sharedFilesystems } from './devices.js'
import { type BlockReader, disksOf, readBlockDevices } from './disks.js'
import type { FilesystemErrors } from './filesystem-errors.js'
import { createFilesystemReader, describeFilesystem, duplicateUuids, type KnownFilesystem } from './filesystems.js'
import type { MountStamps } from './mount-stamp.js'
import { createGatewayReader } from '../machine/gateway-software.js'
import { readHost } from './host.js'
import { declaredLocations, ringLocations } from './device-locations.js'
import { readPrograms } from '../machine/running-programs.js'
import { detectRoles } from './roles.js'
import { isPrepared } from '../shares/prepare.js'
import { type AskRecon, readSwiftVersion } from '../swift/recon/recon-client.js'
import { readProxyAuthentication } from '../swift/users/authentication.js'
import { createSwiftReaders, readSwift, type Swift } from './swift.js'

export interface InventoryOptions {
  readonly config: InventoryConfig
  readonly machine: Machine
  readonly run: RunCommand
  readonly probe: DeviceProbe
  readonly errors: FilesystemErrors
  readonly stamps: MountStamps
  readonly blocks: Omit<BlockReader, 'kernel'>
  readonly askRecon: AskRecon
  readonly interfaces: () => Interfaces
}

export interface InventoryResult {
  readonly inventory: Inventory
  /** The devices with what was mounted; null where the rings cannot be used. */
  readonly devices: readonly ReadDevice[] | null
}

export type ReadInventory = () => Promise<InventoryResult>

/** Reads what this machine is. No mount, disk or program that hangs makes it wait longer than its deadline. */
export function createInventoryReader(options: InventoryOptions): ReadInventory {
  const { config, machine, run, probe, errors, stamps } = options
  const filesystemReader = createFilesystemReader(kernelOf(machine), run)
  const gatewayReader = createGatewayReader(machine, run)
  const readers = createSwiftReaders(machine, run)

  return async () => {
    const interfaces = options.interfaces()
    const addresses = describeAddresses(interfaces)
    const mounts = readMounts(machine)
    const local = localFilesystems(mounts)
    const ownAddresses = addresses.map(({ address }) => address)
    const swift = await readSwift(machine, config, ownAddresses, readers)
    const [filesystems, gateway, swiftVersion] = await Promise.all([
      filesystemReader.read(local),
      gatewayReader.read(),
      swift.servers.length === 0 ? null : readSwiftVersion(options.askRecon),
    ])
    const kernel = kernelOf(machine)
    const blocks = await readBlockDevices({ ...options.blocks, kernel }, blockNames(filesystems))
    const locations = findLocations(swift, config, local)
    const facts = {
      machine,
      kernel,
      mounts,
      filesystems,
      blocks,
      stampOf: await stamps.read(mounts),
      probe: (mount: Mount) => probe.probe(mount, 0),
      errors,
    }
    const devices = locations && (await readDevices(locations, facts))
    const inventory: Inventory = {
      host: readHost(machine),
      addresses: [...addresses],
      facing: readFacing(machine, swift, interfaces),
      roles: readRoles(machine, swift, config),
      ...unlessUnknown(machine, swift, config),
      disks: disksOf(blocks).filter(({ name }) => isOwn(machine) || filesystems.some(({ disk }) => disk === name)),
      filesystems: filesystems.map(describeFilesystem),
      devices: devices?.map(({ device }) => device) ?? null,
      policies: policiesOf(swift, config),
      rings: [...swift.rings],
      swift_version: swiftVersion,
      gateway,
      problems: [...swift.problems, ...duplicateUuids(filesystems), ...deviceProblems(devices ?? [])],
    }
    return { inventory, devices }
  }
}

/** Returns the names of the devices below filesystems, such as `sda1` and `sda`. */
function blockNames(filesystems: readonly KnownFilesystem[]): readonly string[] {
  return filesystems.flatMap(({ block, disk }) => [block, disk].filter((name) => name !== null))
}

function readRoles(machine: Machine, { own, hasProxy }: Swift, { roles }: InventoryConfig): Inventory['roles'] {
  const facts = { own: own ?? [], hasProxy, programs: readPrograms(machine) }
  return detectRoles({ ...facts, isPreparedGateway: isPrepared(machine), overrides: roles })
}

/** Returns what is absent while it is not known. */
function unlessUnknown(
  machine: Machine,
  { own, hashPathDigest }: Swift,
  { swiftDirectory }: InventoryConfig,
): Pick<Inventory, 'in_account_ring' | 'hash_path_digest' | 'proxy_authentication'> {
  const authentication = readProxyAuthentication(machine, swiftDirectory)
  return {
    ...(own === null ? {} : { in_account_ring: own.some(({ inAccountRing }) => inAccountRing) }),
    ...(hashPathDigest === undefined ? {} : { hash_path_digest: hashPathDigest }),
    ...(authentication === undefined ? {} : { proxy_authentication: authentication }),
  }
}

/** Says whether the kernel is the root's own. Otherwise only the disks of its mounts belong to it. */
function isOwn(machine: Machine): boolean {
  return kernelOf(machine) === machine
}

function findLocations(swift: Swift, config: InventoryConfig, local: ReturnType<typeof localFilesystems>) {
  if (swift.present) return swift.own && ringLocations(swift.own, swift.servers, config, local)
  return config.declaredDevices === null ? [] : declaredLocations(config.declaredDevices, local)
}

/** Returns the policies of swift.conf, or without rings those of the configuration, if it declares devices. A gateway does not decide the policies of its cluster. */
function policiesOf(swift: Swift, config: InventoryConfig): Inventory['policies'] {
  if (swift.present) return swift.policies && [...swift.policies]
  if (config.declaredDevices === null || config.declaredDevices.length === 0) return []
  return config.declaredPolicies.map((name, index) => ({
    index,
    name,
    aliases: [],
    is_default: index === 0,
    is_deprecated: false,
    type: 'replication',
  }))
}

function deviceProblems(devices: readonly ReadDevice[]): Inventory['problems'] {
  return [...devices.flatMap(({ problems }) => problems), ...sharedFilesystems(devices)]
}

function readFacing(machine: Machine, { own, all, addressOf }: Swift, interfaces: Interfaces): Inventory['facing'] {
  const defaultInterface = parseDefaultInterface(kernelOf(machine).read('/proc/net/route') ?? '')
  return guessFacing({ interfaces, defaultInterface, own: own ?? [], all, addressOf })
}
