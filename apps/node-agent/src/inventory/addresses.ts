import type { NetworkInterfaceInfo } from 'node:os'
import { isInSubnet, isIpv4, isLinkLocal } from '@roost/api-types/agent'
import type { InventoryAddress, InventoryFacing } from '@roost/api-types/agent'
import type { JoinedDevice } from '../swift/rings/ring-devices.js'
import type { RingDevice } from '../swift/rings/ring.js'

export type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>

/** Returns every address of the interfaces, except link-local ones (`fe80::`), which no client dials. */
export function describeAddresses(interfaces: Interfaces): readonly InventoryAddress[] {
  return Object.entries(interfaces).flatMap(([name, infos = []]) =>
    infos
      .filter((info) => !isLinkLocal(info.address))
      .map(({ address, family, mac }) => ({
        interface: name,
        address,
        family: family === 'IPv6' ? ('ipv6' as const) : ('ipv4' as const),
        mac: /^[0:]+$/.test(mac) ? null : mac.toLowerCase(),
      })),
  )
}

export interface FacingFacts {
  readonly interfaces: Interfaces
  /** The interface of the default route, if there is one. */
  readonly defaultInterface: string | null
  /** The node's own devices in the rings. */
  readonly own: readonly JoinedDevice[]
  /** Every device of the rings. */
  readonly all: readonly RingDevice[]
  /** Returns the address of a device of the rings, which may name a host. */
  readonly addressOf: (text: string) => string
}

/**
 * Guesses what the node's addresses face: the rings name the cluster's and the replication's; a node without devices there
 * faces the cluster with the address in their network; the default route leads outward.
 */
export function guessFacing(facts: FacingFacts): InventoryFacing {
  const outward = outwardAddress(facts)
  const { own, addressOf } = facts
  return {
    cluster_ip: mostFrequent(own.map((device) => addressOf(device.ip))) ?? neighbourAddress(facts) ?? outward,
    outward_ip: outward,
    replication_ip: mostFrequent(own.map((device) => addressOf(device.replicationIp))) ?? null,
  }
}

function outwardAddress({ interfaces, defaultInterface }: FacingFacts): string | null {
  const names = defaultInterface === null ? Object.keys(interfaces) : [defaultInterface]
  const infos = names.flatMap((name) => interfaces[name] ?? []).filter((info) => !info.internal)
  const usable = infos.filter((info) => !isLinkLocal(info.address))
  return (usable.find((info) => isIpv4(info.address)) ?? usable[0])?.address ?? null
}

function neighbourAddress({ interfaces, all, addressOf }: FacingFacts): string | undefined {
  const infos = Object.values(interfaces).flatMap((list) => list ?? [])
  return infos.find((info) => {
    if (info.internal || isLinkLocal(info.address) || info.cidr === null) return false
    const prefix = Number(info.cidr.split('/')[1])
    return all.some((device) => isInSubnet(addressOf(device.ip), info.address, prefix))
  })?.address
}

function mostFrequent(addresses: readonly string[]): string | undefined {
  const counts = new Map<string, number>()
  for (const address of addresses) counts.set(address, (counts.get(address) ?? 0) + 1)
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0]
}

/** Returns the interface of the default route in `/proc/net/route`, the one with the lowest metric. */
export function parseDefaultInterface(routes: string): string | null {
  const lines = routes.split('\n').map((line) => line.trim().split(/\s+/))
  const defaults = lines.filter((fields) => fields[1] === '00000000' && fields[7] === '00000000')
  return defaults.toSorted((a, b) => Number(a[6]) - Number(b[6]))[0]?.[0] ?? null
}
