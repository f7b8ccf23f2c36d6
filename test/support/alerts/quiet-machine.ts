import { daemonStopped } from '@roost/api-types/checks'
import type { DeviceUsageMessage, Inventory, MetricDefinition } from '@roost/api-types/agent'
import { simulatedInventory } from '../agents/simulated-inventory.js'

/** A machine without a fault, and what operators do to it. A suite may make it faulty. */
export interface QuietMachine {
  readonly hostname: string
  readonly isGateway: boolean
  /** Makes its readings differ from those of others. */
  readonly seed: number
  swift: string
  ringVersion: number
  /** It has booted, and its devices are not mounted yet. */
  isMounting: boolean
  /** Its daemons are stopped while its packages are replaced. */
  isInstalling: boolean
  /** Of the hash suffix and prefix in its swift.conf. */
  hashDigest: string
  /** How wrong its clock is. */
  clockAheadSeconds: number
  /** When the last pass of replication ended, in Unix milliseconds, by the server; those that are not here go on. */
  lastPasses: Readonly<Partial<Record<Server, number>>>
}

type Server = 'account' | 'container' | 'object'

/** Returns a machine as it is installed. */
export function newMachine(hostname: string, seed: number): QuietMachine {
  const installed = { swift: '2.30.0', ringVersion: 1, hashDigest: 'd'.repeat(64), lastPasses: {} }
  // Clocks of machines are never the same: here within the limit of 5 s.
  const state = { isMounting: false, isInstalling: false, clockAheadSeconds: seed - 3 }
  return { hostname, isGateway: hostname.startsWith('gateway'), seed, ...installed, ...state }
}

const disks = 4
const diskBytes = 4e12
const [hourSeconds, daySeconds] = [3_600, 86_400]
const file = '/etc/swift/object-server.conf'

/** A value between 0 and 1 that goes up and down within hours, with noise; the same for the same time. */
function wave(seed: number, timeMs: number): number {
  const slow = Math.sin(timeMs / 1_000 / hourSeconds + seed)
  const noise = Math.sin(timeMs / 7_000 + seed * 3) * Math.sin(timeMs / 1_100 + seed)
  return (slow * 0.8 + noise * 0.2 + 1) / 2
}

/** How long a pass of replication takes, in seconds. */
const passes = { account: 1_500, container: 2_400, object: 6 * hourSeconds } as const

/** The age of the last pass: one follows the other, and no two machines are at the same point. */
const ageOf = (server: Server) => (machine: QuietMachine, timeMs: number) => {
  const { seed, lastPasses } = machine
  const last = lastPasses[server]
  if (last !== undefined) return (timeMs - last) / 1_000
  return (timeMs / 1_000 + seed * 997) % (passes[server] + seed * 60)
}

type Reading = readonly [name: string, read: (machine: QuietMachine, timeMs: number) => number]

const readings: readonly Reading[] = [
  ['load.longterm', ({ seed }, at) => wave(seed, at) * 12],
  ['recon.object.async_pending', ({ seed }, at) => Math.round(wave(seed + 1, at) * 40)],
  ['recon.account.replication.age', ageOf('account')],
  ['recon.container.replication.age', ageOf('container')],
  ['replication.ALL.age', ageOf('object')],
  ['recon.account.quarantined', () => 0],
  ['recon.container.quarantined', () => 0],
  ['recon.object.quarantined', () => 0],
]

export const quietMetrics: readonly MetricDefinition[] = readings.map(([name]) => ({
  name,
  unit: 'count',
  aggregation: 'mean',
}))

export function valuesOf(machine: QuietMachine, timeMs: number): Float64Array {
  return Float64Array.from(readings, ([, read]) => read(machine, timeMs))
}

/** Its devices grow by 0.2 % a day, and each is filled and emptied by half a percent meanwhile. */
export function usageOf({ seed, isMounting }: QuietMachine, timeMs: number): DeviceUsageMessage['devices'] {
  return Array.from({ length: disks }, (_, disk) => {
    const growth = (timeMs / 1_000 / daySeconds) % 10
    const used = 0.58 + ((seed * 5 + disk * 3) % 9) / 100 + growth * 0.002 + wave(seed + disk, timeMs) * 0.005
    const left = Math.round(diskBytes * (1 - used))
    const space = { total_bytes: diskBytes, free_bytes: left, available_bytes: left }
    const key = `/srv/node/d${disk}`
    return isMounting ? { key, status: 'unmounted', figures: null } : { key, status: 'ok', figures: space }
  })
}

/** What its agent reports of it, with the problem that it finds where a daemon has been stopped for two of its rounds. */
export function quietInventory(machine: QuietMachine, timeMs: number): Inventory {
  const { hostname, isGateway, swift, ringVersion, hashDigest, isInstalling } = machine
  if (isGateway) {
    const empty = simulatedInventory(hostname)
    return { ...empty, roles: { ...empty.roles, runs_gateway: true } }
  }
  const inventory = simulatedInventory(hostname, disks)
  const usage = usageOf(machine, timeMs)
  const stopped = { daemon: 'object-replicator', file, missed: isInstalling ? 2 : 0, restarts: 0 }
  return {
    ...inventory,
    devices: inventory.devices?.map((device, i) => ({ ...device, ...usage[i] })) ?? null,
    rings: ['account', 'container', 'object'].map((name) => ({
      name,
      version: ringVersion,
      md5: String(ringVersion).padStart(32, 'a'),
      devices: 12,
      partitions: 1_024,
      replicas: 3,
    })),
    swift_version: swift,
    hash_path_digest: hashDigest,
    problems: daemonStopped.find(stopped).map((problem) => ({ ...problem })),
  }
}
