/** What the cluster of the tests consists of, on each of its nodes. */
export interface NodeLayout {
  readonly name: string
  readonly address: string
  readonly devices: readonly DeviceLayout[]
  /** Whether its servers have the `log_name`s of Debian's configuration, which begin with `swift-`. */
  readonly hasDebianNames: boolean
}

export interface DeviceLayout {
  readonly name: string
  readonly fsType: 'xfs' | 'ext4'
  readonly sizeMb: number
  readonly weight: number
  /** Names of its policies. */
  readonly policies: readonly string[]
}

export interface PolicyLayout {
  readonly name: string
  /** Of an erasure code; objects of other policies have two replicas. */
  readonly fragments?: { readonly data: number; readonly parity: number }
}

/** Two storage policies that overlap: three sets of them. */
export const nodeLayouts: readonly NodeLayout[] = [
  {
    name: 'n1',
    address: '127.0.2.1',
    hasDebianNames: false,
    devices: [
      { name: 'd1', fsType: 'xfs', sizeMb: 400, weight: 100, policies: ['gold', 'silver'] },
      { name: 'd2', fsType: 'xfs', sizeMb: 400, weight: 100, policies: ['gold'] },
    ],
  },
  {
    name: 'n2',
    address: '127.0.2.2',
    hasDebianNames: true,
    devices: [
      { name: 'd3', fsType: 'xfs', sizeMb: 400, weight: 100, policies: ['gold', 'silver'] },
      { name: 'd4', fsType: 'ext4', sizeMb: 400, weight: 100, policies: ['gold'] },
      { name: 'd5', fsType: 'xfs', sizeMb: 300, weight: 40, policies: ['silver'] },
    ],
  },
]

/** The same nodes, reached by IPv6 alone. */
export const ipv6Layouts: readonly NodeLayout[] = nodeLayouts.map((node, i) => ({ ...node, address: `fd00::${i + 1}` }))

/** Returns an address as it is written before a port. */
export function hostOf({ address }: Pick<NodeLayout, 'address'>): string {
  return address.includes(':') ? `[${address}]` : address
}

/** In index order: the first is the default. */
export const policyLayouts: readonly PolicyLayout[] = [{ name: 'gold' }, { name: 'silver' }]

export const ports = {
  object: 6200,
  container: 6201,
  account: 6202,
  proxy: 8080,
  memcached: 11211,
  statsd: 8125,
  log: 5514,
}

export interface RingLayout {
  readonly name: string
  readonly port: number
  readonly replicas: number
  /** Its devices are those of this policy. */
  readonly policy: string
}

/** The rings of a cluster. Those of accounts and containers go over the devices of the first policy. */
export function ringsOf(policies: readonly PolicyLayout[]): readonly RingLayout[] {
  const [first] = policies
  const named = (name: 'account' | 'container') => ({ name, port: ports[name], replicas: 2, policy: first?.name ?? '' })
  const objects = policies.map(({ name: policy, fragments }, index) => ({
    name: index === 0 ? 'object' : `object-${index}`,
    port: ports.object,
    replicas: fragments ? fragments.data + fragments.parity : 2,
    policy,
  }))
  return [named('account'), named('container'), ...objects]
}

export type ServerKind = 'object' | 'container' | 'account'
export const serverKinds: readonly ServerKind[] = ['object', 'container', 'account']

/** What runs beside the servers when all daemons are wanted. */
export const backgroundDaemons: readonly { readonly kind: ServerKind; readonly name: string }[] = [
  { kind: 'account', name: 'account-replicator' },
  { kind: 'account', name: 'account-auditor' },
  { kind: 'container', name: 'container-replicator' },
  { kind: 'container', name: 'container-updater' },
  { kind: 'container', name: 'container-auditor' },
  { kind: 'object', name: 'object-replicator' },
  { kind: 'object', name: 'object-updater' },
  { kind: 'object', name: 'object-auditor' },
]
