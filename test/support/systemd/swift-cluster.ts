import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { enrollmentArguments } from '../agents/enrollment.js'
import type { TestApi } from '../http/api.js'
import { repository } from '../http/control-plane.js'
import { configurationOf } from '../swift/configuration.js'
import { canLoop, mountDisks } from '../swift/disks.js'
import type { ProxyKeystone } from '../swift/configuration.js'
import { ports, ringsOf, serverKinds } from '../swift/layout.js'
import type { DeviceLayout, NodeLayout, PolicyLayout } from '../swift/layout.js'
import type { Machine } from '../swift/machine.js'
import { bootContainer } from './container.js'
import type { SystemdContainer } from './container.js'
import { findSystemdRoot } from './root.js'
import type { SystemdRoot } from './root.js'

const disk = (name: string, policies: DeviceLayout['policies']): DeviceLayout => ({
  name,
  fsType: 'xfs',
  sizeMb: 400,
  weight: 100,
  policies,
})

/** Six devices for an erasure code of four and two, the first two of each node with replicas, too. */
const storageNodes: readonly NodeLayout[] = [1, 2].map((i) => ({
  name: `n${i}`,
  address: `127.0.2.${i}`,
  hasDebianNames: true,
  devices: [disk(`d${i}1`, ['gold', 'archive']), disk(`d${i}2`, ['gold', 'archive']), disk(`d${i}3`, ['archive'])],
}))
/** A proxy for users of Keystone. */
const keystoneNode: NodeLayout = { name: 'k1', address: '127.0.2.3', hasDebianNames: true, devices: [] }

export const policies: readonly PolicyLayout[] = [
  { name: 'gold' },
  { name: 'archive', fragments: { data: 4, parity: 2 } },
]

/** Daemons at work all the time would leave no processor for anything else. */
const interval = 20
/** Without a section in the configuration, a daemon ends at once, and its unit starts it for ever. */
const unconfigured = ['account-reaper', 'container-sharder', 'container-sync'].map((name) => `swift-${name}`)
const masked = ['smbd', 'nmbd', 'samba-ad-dc', 'winbind', 'systemd-networkd', ...unconfigured].map(
  (name) => `${name}.service`,
)
const storageUnits = [
  ...serverKinds.flatMap((kind) => [kind, `${kind}-auditor`, `${kind}-replicator`]),
  'container-updater',
  'object-updater',
  'object-reconstructor',
].map((name) => `swift-${name}`)

/** The Debian of its nodes, or why it cannot be had here. */
export const findSwiftRoot = (): Promise<SystemdRoot> =>
  findSystemdRoot([
    'swift-account',
    'swift-container',
    'swift-object',
    'swift-proxy',
    'memcached',
    'python3-keystonemiddleware',
    'rsync',
  ])

export interface SwiftClusterNode extends NodeLayout, SystemdContainer {
  /** Of its proxy, out here. */
  readonly proxyUrl: string
}

/** Nodes of Debian, each with its own systemd, whose units run Swift and the agent. */
export interface SwiftCluster {
  readonly storage: readonly [SwiftClusterNode, SwiftClusterNode]
  readonly keystoneProxy: SwiftClusterNode
}

export interface SwiftClusterOptions {
  readonly root: string
  readonly api: TestApi
  /** The id of the cluster that the agents enroll into. */
  readonly cluster: number
  readonly keystone: ProxyKeystone
}

/**
 * Boots a proxy on Keystone, which enrolls first, and two storage nodes, each with a proxy of tempauth.
 * The proxies of tempauth share one memcached.
 */
export async function bootSwiftCluster(machine: Machine, options: SwiftClusterOptions): Promise<SwiftCluster> {
  await machine.publish(Number(new URL(options.api.url).port))
  await buildRings(machine)
  const hasDisks = await makeDisks(machine)
  const nodes = []
  // One after the other: a boot takes all processors that there are.
  for (const layout of [keystoneNode, ...storageNodes])
    nodes.push(await bootNode(machine, layout, { ...options, hasDisks }))
  const [keystoneProxy, one, two] = nodes
  if (!one || !two || !keystoneProxy) throw new Error('The cluster has three nodes.')
  return { storage: [one, two], keystoneProxy }
}

async function buildRings(machine: Machine): Promise<void> {
  await writeFile(join(machine.dir, 'layout.json'), JSON.stringify({ nodes: storageNodes, rings: ringsOf(policies) }))
  const program = join(repository, 'test/support/swift/build-rings.py')
  await machine.exec(`mkdir rings && python3 ${program} rings < layout.json && chmod -R a+rX . `)
}

/** Returns whether the disks are filesystems of their own. */
async function makeDisks(machine: Machine): Promise<boolean> {
  const folders = storageNodes.flatMap(({ name, devices }) =>
    devices.map((device) => `${name}/srv/node/${device.name}`),
  )
  await machine.exec(`mkdir -p ${folders.join(' ')}`)
  const hasDisks = await canLoop(machine)
  if (hasDisks) await mountDisks(machine, storageNodes)
  return hasDisks
}

const packaged = (file: string) => readFileSync(join(repository, 'apps/node-agent/systemd', file), 'utf8')
const dataDir = '/var/lib/roost-agent'
/** Its unit reads one file; an operator with a folder has this drop-in. */
const proxyFolder = `[Unit]
ConditionFileNotEmpty=
[Service]
ExecStart=
ExecStart=/usr/bin/swift-proxy-server /etc/swift/proxy-server.conf.d
`

function filesOf(node: NodeLayout, { keystone }: SwiftClusterOptions, mountCheck: boolean) {
  const isOnKeystone = node === keystoneNode
  const { address } = node
  const configuration = configurationOf(node, {
    policies,
    statsd: { address, port: ports.statsd },
    accessLog: { address, port: ports.log },
    memcached: [`${memcachedOf(node)}:${ports.memcached}`],
    mountCheck,
    interval,
    hasProxy: true,
    ...(isOnKeystone ? { keystone } : {}),
  })
  const config = {
    swift: { addresses: [address] },
    statsd: { enabled: true, address },
    usage: {
      storage_interval_seconds: 5,
      transfer_interval_seconds: 2,
      access_log_udp: { address, port: ports.log },
    },
  }
  return [
    ...[...configuration]
      .filter(([path]) => !isOnKeystone || !serverKinds.some((kind) => path.endsWith(`/${kind}-server.conf`)))
      .map(([path, text]) => [`/etc/${path}`, text] as const),
    ['/etc/rsyncd.conf', configuration.get('swift/rsyncd.conf') ?? ''],
    ['/etc/memcached.conf', `-u memcache\n-l ${address}\n-p ${ports.memcached}\n-m 16\n`],
    ['/etc/systemd/system/swift-proxy.service.d/folder.conf', proxyFolder],
    ['/etc/systemd/system/roost-agent.service', packaged('roost-agent.service')],
    ['/usr/lib/sysusers.d/roost-agent.conf', packaged('roost-agent.sysusers')],
    [`${dataDir}/config.json`, `${JSON.stringify(config)}\n`],
  ] as const
}

/** The proxies of tempauth share that of the first node. */
function memcachedOf(node: NodeLayout): string {
  return node === keystoneNode ? node.address : (storageNodes[0]?.address ?? '')
}

async function bootNode(
  machine: Machine,
  layout: NodeLayout,
  options: SwiftClusterOptions & { readonly hasDisks: boolean },
): Promise<SwiftClusterNode> {
  const { name, address, devices } = layout
  const container = await bootContainer(machine, {
    root: options.root,
    name,
    masked,
    files: filesOf(layout, options, options.hasDisks),
    deployed: join(machine.dir, 'rings'),
    folders: Object.fromEntries(
      devices.map((device) => [`/srv/node/${device.name}`, join(machine.dir, name, 'srv/node', device.name)]),
    ),
  })
  const isStorage = devices.length > 0
  const units = [
    ...(memcachedOf(layout) === address ? ['memcached'] : []),
    ...(isStorage ? ['rsync', ...storageUnits] : []),
    'swift-proxy',
  ]
  await container.exec(`ln -s ${repository}/apps/node-agent/bin/roost-agent.js /usr/bin/roost-agent
    systemd-sysusers && systemctl daemon-reload && chown -R roost-agent: ${dataDir}
    install -o root -g swift -m 640 /srv/deployed/*.ring.gz /etc/swift/
    chown -R root:swift /etc/swift && chmod -R u=rwX,g=rX,o= /etc/swift
    ${isStorage ? 'chown swift: /srv/node/*' : `rm ${serverKinds.map((kind) => `/etc/swift/${kind}-server.conf`).join(' ')}`}
    systemctl enable --now ${units.join(' ')}
    roost-agent proxy prepare --yes --restart-proxy`)
  const enrolled = await container.run('roost-agent', await enrollmentArguments(options.api, options.cluster))
  if (enrolled.code !== 0) throw new Error(`The agent of ${name} could not enroll: ${enrolled.stderr}`)
  await container.exec('systemctl enable --now roost-agent || { journalctl -u roost-agent >&2; exit 1; }')
  const port = await machine.forward(address, ports.proxy)
  return { ...layout, ...container, proxyUrl: `http://127.0.0.1:${port}` }
}
