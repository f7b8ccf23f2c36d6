import { backgroundDaemons, ports, serverKinds } from './layout.js'
import type { NodeLayout } from './layout.js'

export interface Daemon {
  readonly file: string
  readonly args: readonly string[]
  /** On which it answers once it is up; null for one that listens on none. */
  readonly port: number | null
}

/** The daemons of a node by name, each in the foreground as a unit of Debian would run it. */
export function daemonsOf(node: NodeLayout, hasProxy: boolean, which: 'servers' | 'all'): ReadonlyMap<string, Daemon> {
  const servers = serverKinds.map((kind) => {
    const server = [`swift-${kind}-server`, `/etc/swift/${kind}-server.conf`]
    // Without workers, a server stays the account that starts it.
    const args = ['--reuid=swift', '--regid=swift', '--clear-groups', '--', ...server]
    return [`${kind}-server`, { file: 'setpriv', args, port: ports[kind] }] as const
  })
  const proxy = hasProxy ? [memcached(node), proxyServer] : []
  const more = which === 'all' ? [...background(), rsync, ...(hasProxy ? [expirer] : [])] : []
  return new Map<string, Daemon>([...servers, ...proxy, ...more])
}

const proxyServer = [
  'proxy-server',
  { file: 'swift-proxy-server', args: ['/etc/swift/proxy-server.conf.d'], port: ports.proxy },
] as const

const expirer = [
  'object-expirer',
  { file: 'swift-object-expirer', args: ['/etc/swift/object-expirer.conf'], port: null },
] as const

function memcached({ address }: NodeLayout) {
  const args = ['-u', 'memcache', '-l', address, '-p', String(ports.memcached), '-m', '16']
  return ['memcached', { file: 'memcached', args, port: ports.memcached }] as const
}

const rsync = [
  'rsync',
  { file: 'rsync', args: ['--daemon', '--no-detach', '--config=/etc/swift/rsyncd.conf'], port: 873 },
] as const

function background() {
  return backgroundDaemons.map(({ kind, name }) => {
    const daemon = { file: `swift-${name}`, args: [`/etc/swift/${kind}-server.conf`], port: null }
    return [name, daemon] as const
  })
}
