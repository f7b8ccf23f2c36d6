import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { repository } from '../http/control-plane.js'
import type { ProcessResult } from '../programs/processes.js'
import { configurationOf } from './configuration.js'
import type { ProxyKeystone, Target } from './configuration.js'
import { daemonsOf } from './daemons.js'
import type { Daemon } from './daemons.js'
import { canLoop, mountDisks } from './disks.js'
import { hostOf, ipv6Layouts, nodeLayouts, policyLayouts, ports, ringsOf } from './layout.js'
import type { NodeLayout } from './layout.js'
import { startMachine } from './machine.js'
import type { MachineProcess, Machine, RunOptions } from './machine.js'

/** Whether this run may start a real Swift: as root, with `ROOST_TEST_SYSTEM=1` and the Debian packages that `.ci/run` installs. */
export const isSwiftEnabled = process.env.ROOST_TEST_SYSTEM === '1' && process.getuid?.() === 0

export interface SwiftOptions {
  /** `all` adds replicators, updaters, auditors, the expirer and rsync to the servers, with short intervals. Default `servers`. */
  readonly daemons?: 'servers' | 'all'
  /** How many of the nodes run a proxy with a memcached. Default 1: the first. */
  readonly proxies?: 1 | 2
  /** Where statistics go. Default: the address of the node that they are of, port 8125. */
  readonly statsd?: Target
  /** Where the proxies' access log goes. Default: into `var/log/swift/proxy-access.log` of the first node. */
  readonly accessLog?: Target
  /** Adds `s3api` to the pipeline of the proxies. Default false. */
  readonly servesS3?: boolean
  /** Lets users of this Keystone in, instead of those of tempauth. Publish its port, which the proxies ask at each new token. */
  readonly keystone?: ProxyKeystone
  /** Makes the disks so many times as large; their files are sparse. Default 1. */
  readonly diskScale?: number
  /** Gives the nodes addresses of IPv6 alone. Default false. */
  readonly isIpv6?: boolean
}

export interface SwiftNode extends NodeLayout {
  /** Of its own files: `etc/swift`, `srv/node`, `var/cache/swift`, … lie below it. What an agent gets as `--root`. */
  readonly root: string
  readonly proxy: { readonly url: string; readonly innerUrl: string } | null
  /** The path of a file of the node, such as `/etc/swift/swift.conf`, out here. What is mounted is seen inside only. */
  path(path: string): string
  /** Runs a shell script where the node's files are at their usual places. */
  exec(script: string): Promise<string>
  /** Runs a program to its end there, whatever its exit code. */
  run(file: string, args: readonly string[]): Promise<ProcessResult>
  spawn(
    file: string,
    args: readonly string[],
    options?: Omit<RunOptions, 'view'> & { readonly log?: string },
  ): MachineProcess
  /** Such as `proxy-server`, `object-server`, `memcached`. Resolves when it answers on its port. */
  start(daemon: string): Promise<void>
  stop(daemon: string, signal?: NodeJS.Signals): Promise<void>
}

/** See README.md. */
export interface Swift {
  readonly machine: Machine
  readonly nodes: readonly [SwiftNode, SwiftNode]
  /** The first proxy, reachable from the test's own process: `<proxyUrl>/auth/v1.0`. */
  readonly proxyUrl: string
  /** The same as the machine itself reaches it. */
  readonly innerProxyUrl: string
  /** False where there are no loop devices: the devices are folders of one filesystem. */
  readonly hasDisks: boolean
  /** Makes a port of 127.0.0.1, such as that of a test's control plane, the same one inside. */
  publish(port: number): Promise<void>
  stop(): Promise<void>
}

/** Brings up a Swift of two nodes in namespaces of its own; 5 to 20 s. */
export async function startSwift(options: SwiftOptions = {}): Promise<Swift> {
  const machine = await startMachine()
  try {
    return await bringUp(machine, options)
  } catch (error) {
    await machine.remove()
    throw error
  }
}

async function bringUp(machine: Machine, options: SwiftOptions): Promise<Swift> {
  const { proxies = 1, daemons = 'servers' } = options
  const layouts = await layNodesOut(machine, options)
  const hasDisks = await canLoop(machine)
  // As docs/proxies.md has it for a proxy that reloads.
  await machine.exec('setting=/proc/sys/net/ipv4/tcp_migrate_req; [ ! -e $setting ] || echo 1 > $setting')
  await writeConfiguration(machine, layouts, options, hasDisks)
  await buildRings(machine, layouts)
  if (hasDisks) await mountDisks(machine, layouts, options.diskScale)
  const [one, two] = await Promise.all(layouts.map((layout, i) => openNode(machine, layout, i < proxies)))
  if (!one?.proxy || two === undefined) throw new Error('The layout has two nodes.')
  if (options.accessLog === undefined)
    await machine.record(one.address, ports.log, one.path('/var/log/swift/proxy-access.log'))
  const nodes = [one, two] as const
  // Those on which the others would only wait come first: each costs a second of the processor.
  await startAll(nodes, 'servers')
  if (daemons === 'all') await startAll(nodes, 'all')
  return {
    machine,
    nodes,
    proxyUrl: one.proxy.url,
    innerProxyUrl: one.proxy.innerUrl,
    hasDisks,
    publish: once((port) => machine.publish(port)),
    stop: () => machine.remove(),
  }
}

/** Returns the nodes, whose addresses the machine has: those of IPv4 by itself. */
async function layNodesOut(machine: Machine, { isIpv6 = false }: SwiftOptions): Promise<readonly NodeLayout[]> {
  if (!isIpv6) return nodeLayouts
  // With addresses of IPv6 alone, no lookup would find the IPv4 address of localhost, where the control plane is.
  for (const address of [...ipv6Layouts.map((node) => `${node.address}/128 nodad`), '192.0.2.1/32'])
    await machine.exec(`ip address add ${address} dev lo`)
  return ipv6Layouts
}

function once(act: (port: number) => Promise<void>): (port: number) => Promise<void> {
  const done = new Map<number, Promise<void>>()
  return (port) => {
    const doing = done.get(port) ?? act(port)
    done.set(port, doing)
    return doing
  }
}

async function startAll(nodes: readonly SwiftNode[], which: 'servers' | 'all'): Promise<void> {
  const starting = nodes.flatMap((node) => {
    const servers = daemonsOf(node, node.proxy !== null, 'servers')
    const names = [...daemonsOf(node, node.proxy !== null, which).keys()]
    return names.filter((name) => which === 'servers' || !servers.has(name)).map((name) => node.start(name))
  })
  await Promise.all(starting)
}

async function writeConfiguration(
  machine: Machine,
  layouts: readonly NodeLayout[],
  options: SwiftOptions,
  mountCheck: boolean,
): Promise<void> {
  const [first] = layouts
  const memcached = layouts.slice(0, options.proxies ?? 1).map((node) => `${hostOf(node)}:${ports.memcached}`)
  const accessLog = options.accessLog ?? { address: first?.address ?? '', port: ports.log }
  for (const [i, node] of layouts.entries()) {
    const hasProxy = i < memcached.length
    const statsd = options.statsd ?? { address: node.address, port: ports.statsd }
    const settings = { ...options, policies: policyLayouts, statsd, accessLog, memcached, mountCheck, hasProxy }
    for (const [path, text] of configurationOf(node, settings)) {
      const file = join(machine.dir, node.name, 'etc', path)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text)
    }
    for (const { name } of node.devices)
      await mkdir(join(machine.dir, node.name, 'srv/node', name), { recursive: true })
    for (const folder of ['var/cache/swift', 'var/log/swift'])
      await mkdir(join(machine.dir, node.name, folder), { recursive: true })
  }
  await machine.exec(`chmod 755 . && for node in ${layouts.map(({ name }) => name).join(' ')}; do
    chown -R root:swift $node/etc/swift && chmod -R u=rwX,g=rX,o= $node/etc/swift
    chown -R swift: $node/srv/node $node/var/cache/swift $node/var/log/swift
  done`)
}

async function buildRings(machine: Machine, layouts: readonly NodeLayout[]): Promise<void> {
  await writeFile(join(machine.dir, 'layout.json'), JSON.stringify({ nodes: layouts, rings: ringsOf(policyLayouts) }))
  const program = join(repository, 'test/support/swift/build-rings.py')
  const folders = layouts.map(({ name }) => `${name}/etc/swift`)
  await machine.exec(`mkdir rings && python3 ${program} rings < layout.json
    chown root:swift rings/* && chmod 640 rings/*
    for folder in ${folders.join(' ')}; do cp -p rings/*.ring.gz $folder; done`)
}

/** What lies at its usual place in the view of a node. */
const ownFolders = ['/etc/swift', '/srv/node', '/var/cache/swift', '/var/log/swift']

async function openNode(machine: Machine, layout: NodeLayout, hasProxy: boolean): Promise<SwiftNode> {
  const { name, address } = layout
  const root = join(machine.dir, name)
  const binds = ownFolders.map((folder) => `mkdir -p ${folder}; mount --rbind ${root}${folder} ${folder}`)
  await machine.addView(
    name,
    `for folder in /run /srv /var/cache /var/log; do mount -t tmpfs tmpfs $folder; done
     mkdir -p -m 1777 /run/lock; mkdir -p /run/swift /run/lock/swift; chown swift: /run/swift /run/lock/swift
     ${binds.join('\n')}`,
  )
  const started = new Map<string, MachineProcess>()
  const spawn: SwiftNode['spawn'] = (file, args, options = {}) => machine.spawn(file, args, { ...options, view: name })
  const daemons = daemonsOf(layout, hasProxy, 'all')
  return {
    ...layout,
    root,
    proxy: hasProxy ? await proxyOf(machine, layout) : null,
    path: (path) => join(root, path),
    exec: (script) => machine.exec(script, name),
    run: (file, args) => machine.run(file, args, { view: name }),
    spawn,
    async start(daemon) {
      const wanted = daemons.get(daemon)
      if (wanted === undefined)
        throw new Error(`${name} has no daemon ${daemon}, but ${[...daemons.keys()].join(', ')}.`)
      const machineProcess = spawn(wanted.file, wanted.args, { log: join(machine.dir, `${name}-${daemon}.log`) })
      started.set(daemon, machineProcess)
      await answering(machine, address, wanted, machineProcess)
    },
    stop: async (daemon, signal) => started.get(daemon)?.stop(signal),
  }
}

async function proxyOf(machine: Machine, node: NodeLayout) {
  const port = await machine.forward(node.address, ports.proxy)
  return { url: `http://127.0.0.1:${port}`, innerUrl: `http://${hostOf(node)}:${ports.proxy}` }
}

const startDeadlineMs = 180_000

async function answering(
  machine: Machine,
  address: string,
  { port }: Daemon,
  machineProcess: MachineProcess,
): Promise<void> {
  for (const deadline = Date.now() + startDeadlineMs; Date.now() < deadline; await sleep(100)) {
    if (port === null || (await machine.answers(address, port))) return
    if (machineProcess.child.exitCode !== null) break
  }
  throw new Error(`A daemon did not start: ${machineProcess.output()}`)
}
