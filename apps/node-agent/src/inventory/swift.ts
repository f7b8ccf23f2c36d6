import type { InventoryPolicy, InventoryProblem, InventoryRing } from '@roost/api-types/agent'
import {
  noOwnDevice,
  ringMissing,
  ringNameUnresolved,
  ringWithoutPolicy,
  swiftConfInvalid,
  swiftConfUnreadable,
} from '@roost/api-types/checks'
import type { InventoryConfig } from '../config.js'
import type { Machine } from '../machine/machine.js'
import type { RunCommand } from '../machine/run-command.js'
import { type JoinedDevice, joinDevices } from '../swift/rings/ring-devices.js'
import type { RingDevice } from '../swift/rings/ring.js'
import { digestHashPath } from '../swift/config/hash-path.js'
import { createBuilderReader, type ReadMinPartHours } from '../swift/rings/ring-builders.js'
import { createRingNames, type ResolveAddresses, type RingAddresses } from '../swift/rings/ring-names.js'
import { objectRingName, parsePolicies, policyOfRing, SwiftConfError } from '../swift/config/swift-conf.js'
import { readRings, type RingCache } from '../swift/rings/read-rings.js'
import { readSwiftServers, type StorageServer } from '../swift/config/storage-servers.js'

/** The contents of Swift's files on this node. */
export interface Swift {
  /** True where there are rings. */
  readonly present: boolean
  readonly rings: readonly InventoryRing[]
  /** The node's own devices; null where a ring or swift.conf cannot be used. */
  readonly own: readonly JoinedDevice[] | null
  /** Every device of every ring that could be read. */
  readonly all: readonly RingDevice[]
  /** Null where swift.conf cannot be used. */
  readonly policies: readonly InventoryPolicy[] | null
  /** Null where swift.conf has neither a suffix nor a prefix; undefined where it cannot be read. */
  readonly hashPathDigest: string | null | undefined
  /** Returns the address of a device of the rings, which may name a host. */
  readonly addressOf: (text: string) => string
  readonly servers: readonly StorageServer[]
  readonly hasProxy: boolean
  readonly problems: readonly InventoryProblem[]
}

type SwiftConfig = Pick<InventoryConfig, 'swiftDirectory' | 'ringDirectory' | 'ringAddresses'>

/** What is kept between readings. */
interface SwiftReaders {
  readonly cache: RingCache
  readonly resolve: ResolveAddresses
  readonly minPartHoursOf: ReadMinPartHours
}

export function createSwiftReaders(machine: Machine, run: RunCommand): SwiftReaders {
  return { cache: new Map(), resolve: createRingNames(), minPartHoursOf: createBuilderReader(machine, run) }
}

/** Reads rings, swift.conf and the servers' configuration. `interfaceAddresses` are the machine's own. */
export async function readSwift(
  machine: Machine,
  config: SwiftConfig,
  interfaceAddresses: readonly string[],
  { cache, resolve, minPartHoursOf }: SwiftReaders,
): Promise<Swift> {
  const directory = config.swiftDirectory
  const unreadable = [directory, config.ringDirectory].find((folder) => isClosed(machine, folder))
  if (unreadable !== undefined) return closed(unreadable)
  const { storage: servers, hasProxy, problems: serverProblems } = readSwiftServers(machine, directory)
  const { names, rings, described, problems: ringProblems } = await readRings(machine, config.ringDirectory, cache)
  if (names.length === 0)
    return { ...nothing, present: false, own: [], policies: [], servers, hasProxy, problems: serverProblems }

  const { policies, digest, problems: policyProblems } = await readSwiftConf(machine, config, names)
  const addresses = config.ringAddresses ?? ringAddresses(servers, interfaceAddresses)
  const all = [...rings.values()].flatMap((ring) => ring.devices)
  const found = await resolve([...addresses, ...all.flatMap(({ ip, replicationIp }) => [ip, replicationIp])])
  const joined = joinDevices(rings, ownership(addresses, found))
  const usable = policies !== null && rings.size === names.length && found.unresolved.length === 0
  return {
    present: true,
    rings: await Promise.all(described.map((ring) => withBuilder(ring, config.ringDirectory, minPartHoursOf))),
    own: usable ? withKnownPolicies(joined, policies) : null,
    all,
    policies,
    hashPathDigest: digest,
    addressOf: (text) => found.of(text)[0] ?? text,
    servers,
    hasProxy,
    problems: [
      ...serverProblems,
      ...ringProblems,
      ...policyProblems,
      ...ringNameUnresolved.find({ names: found.unresolved }),
      ...(usable && joined.length === 0 ? strangers(servers, addresses) : []),
    ],
  }
}

async function withBuilder(ring: InventoryRing, directory: string, read: ReadMinPartHours): Promise<InventoryRing> {
  const hours = await read(`${directory}/${ring.name}.builder`)
  return hours === undefined ? ring : { ...ring, min_part_hours: hours }
}

/** Where no ring can be read. */
const nothing = { rings: [], all: [], hashPathDigest: undefined, addressOf: (text: string) => text } as const

function isClosed(machine: Machine, directory: string): boolean {
  try {
    machine.list(directory)
    return false
  } catch {
    return true
  }
}

/** Describes a directory that cannot be read: the last known rings stay. */
function closed(directory: string): Swift {
  return {
    ...nothing,
    present: true,
    own: null,
    policies: null,
    servers: [],
    hasProxy: false,
    problems: swiftConfUnreadable.find({ path: directory, error: 'it cannot be listed' }),
  }
}

interface SwiftConf {
  readonly policies: readonly InventoryPolicy[] | null
  readonly digest?: string | null
  readonly problems: readonly InventoryProblem[]
}

async function readSwiftConf(
  machine: Machine,
  { swiftDirectory, ringDirectory }: SwiftConfig,
  ringNames: readonly string[],
): Promise<SwiftConf> {
  const path = `${swiftDirectory}/swift.conf`
  const failed = (reason: string, digest?: string | null): SwiftConf => ({
    policies: null,
    ...(digest === undefined ? {} : { digest }),
    problems: swiftConfInvalid.find({ path, reason }),
  })
  try {
    const text = machine.read(path)
    if (text === undefined) return failed('there is no such file')
    const digest = await digestHashPath(text)
    try {
      const policies = parsePolicies(text)
      return { policies, digest, problems: mismatches(ringNames, policies, ringDirectory) }
    } catch (error) {
      if (error instanceof SwiftConfError) return failed(error.message, digest)
      throw error
    }
  } catch (error) {
    return failed(
      `it cannot be read (${(error as NodeJS.ErrnoException).code}), give the agent's user permission to read it`,
    )
  }
}

/**
 * Returns the addresses of this node in the rings, as Swift's servers decide it: those to which servers are bound, and all of
 * the machine's where one is bound to any.
 */
function ringAddresses(servers: readonly StorageServer[], interfaceAddresses: readonly string[]): readonly string[] {
  const bound = servers.flatMap(({ address }) => address ?? [])
  return bound.length === servers.length && bound.length > 0 ? bound : [...bound, ...interfaceAddresses]
}

/** Swift's servers compare addresses, and resolve the names of rings for it. A name of the configuration also matches itself. */
function ownership(addresses: readonly string[], found: RingAddresses): (address: string) => boolean {
  const own = new Set([...addresses, ...addresses.flatMap((address) => found.of(address))])
  return (address) => own.has(address) || found.of(address).some((one) => own.has(one))
}

function withKnownPolicies(devices: readonly JoinedDevice[], policies: readonly InventoryPolicy[]) {
  const known = new Set(policies.map((policy) => policy.index))
  return devices.map((device) => ({ ...device, policies: device.policies.filter((index) => known.has(index)) }))
}

/** Rings and swift.conf must name the same policies. */
function mismatches(
  ringNames: readonly string[],
  policies: readonly InventoryPolicy[],
  directory: string,
): readonly InventoryProblem[] {
  const file = (ring: string): string => `${directory}/${ring}.ring.gz`
  const missing = policies.filter((policy) => !ringNames.includes(objectRingName(policy.index)))
  const known = new Set<number | undefined>([undefined, ...policies.map((policy) => policy.index)])
  const unknown = ringNames.filter((name) => !known.has(policyOfRing(name)))
  return [
    ...missing.flatMap(({ name, index }) => ringMissing.find({ path: file(objectRingName(index)), policy: name })),
    ...unknown.flatMap((ring) => ringWithoutPolicy.find({ path: file(ring), ring })),
  ]
}

/** Reports that a storage server is configured although no ring names an address of this node. */
function strangers(servers: readonly StorageServer[], addresses: readonly string[]): readonly InventoryProblem[] {
  return servers.length === 0 ? [] : noOwnDevice.find({ addresses })
}
