import type { InventoryDeviceRing } from '@roost/api-types/agent'
import type { AssignedDevice, Ring } from './ring.js'
import { policyOfRing } from '../config/swift-conf.js'

/** One device of this node, joined over all rings that name it. */
export interface JoinedDevice {
  readonly key: string
  readonly name: string
  readonly ip: string
  readonly port: number
  readonly replicationIp: string
  readonly replicationPort: number
  /** Indexes of the policies whose rings contain it, ascending; empty for a device of accounts and containers only. */
  readonly policies: readonly number[]
  /** Its entry in each ring. */
  readonly rings: readonly InventoryDeviceRing[]
  readonly inObjectRing: boolean
  readonly inAccountOrContainerRing: boolean
  readonly inAccountRing: boolean
}

/**
 * Joins the devices of the node's addresses. Object rings identify a device by address, port, replication address and name;
 * the servers of accounts and containers have other ports, so that their entries join by address and name.
 */
export function joinDevices(
  rings: ReadonlyMap<string, Pick<Ring, 'devices'>>,
  isOwn: (address: string) => boolean,
): readonly JoinedDevice[] {
  const objects = new Map<string, JoinedDevice>()
  const others = new Map<string, JoinedDevice>()
  for (const [ringName, ring] of rings) {
    const policy = policyOfRing(ringName)
    for (const device of ring.devices) {
      if (!isOwn(device.ip) && !isOwn(device.replicationIp)) continue
      if (policy === undefined) addOther(others, device, ringName)
      else addObject(objects, device, { policy, ringName })
    }
  }
  const shared = new Set([...objects.values()].map(looseKey))
  const devices = [...objects.values()].map((device) => ({
    ...device,
    inAccountOrContainerRing: others.has(looseKey(device)),
    inAccountRing: others.get(looseKey(device))?.inAccountRing ?? false,
    rings: [...(others.get(looseKey(device))?.rings ?? []), ...device.rings],
  }))
  const alone = [...others.values()].filter((device) => !shared.has(looseKey(device)))
  return [...devices, ...alone].toSorted((a, b) => (a.key < b.key ? -1 : 1))
}

interface ObjectRing {
  readonly policy: number
  readonly ringName: string
}

function addObject(found: Map<string, JoinedDevice>, device: AssignedDevice, { policy, ringName }: ObjectRing): void {
  const key = `${looseKey(joined(device))} ${device.port}`
  const known = found.get(key)
  const policies = new Set([...(known?.policies ?? []), policy])
  found.set(key, {
    ...joined(device),
    policies: [...policies].toSorted((a, b) => a - b),
    rings: [...(known?.rings ?? []), entryOf(device, ringName)],
    inObjectRing: true,
  })
}

/** Accounts and containers have separate servers: the device gets the lower port of both. */
function addOther(found: Map<string, JoinedDevice>, device: AssignedDevice, ringName: string): void {
  const entry = { ...joined(device), inAccountOrContainerRing: true }
  const known = found.get(looseKey(entry)) ?? entry
  const inAccountRing = known.inAccountRing || ringName === 'account'
  const rings = [...known.rings, entryOf(device, ringName)]
  found.set(looseKey(entry), { ...(known.port > entry.port ? entry : known), inAccountRing, rings })
}

function entryOf(device: AssignedDevice, ring: string): InventoryDeviceRing {
  const { region, zone, weight, assigned, replicationIp, replicationPort } = device
  return {
    ring,
    region,
    zone,
    weight,
    partitions: assigned,
    replication_ip: replicationIp,
    replication_port: replicationPort,
  }
}

function looseKey({ ip, replicationIp, name }: JoinedDevice): string {
  return `${ip} ${replicationIp} ${name}`
}

function joined({ device, ip, port, replicationIp, replicationPort }: AssignedDevice): JoinedDevice {
  return {
    key: `${ip.includes(':') ? `[${ip}]` : ip}:${port}/${device}`,
    name: device,
    ip,
    port,
    replicationIp,
    replicationPort,
    policies: [],
    rings: [],
    inObjectRing: false,
    inAccountOrContainerRing: false,
    inAccountRing: false,
  }
}
