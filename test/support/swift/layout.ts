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
  /** Names of its policies. The rings of accounts and containers go over the devices of `gold`. */
  readonly policies: readonly ('gold' | 'silver')[]
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

/** In index order: the first is the default. */
export const policies = ['gold', 'silver'] as const

export const ports = {
  object: 6200,
  container: 6201,
  account: 6202,
  proxy: 8080,
  memcached: 11211,
  statsd: 8125,
  log: 5514,
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
