import type { NodeLayout, PolicyLayout, ServerKind } from './layout.js'
import { backgroundDaemons, ports, serverKinds } from './layout.js'
import { ini, swiftConf } from './swift-conf.js'
import type { Settings } from './swift-conf.js'

export interface Target {
  readonly address: string
  readonly port: number
}

export interface ConfigurationOptions {
  /** In index order: the first is the default. */
  readonly policies: readonly PolicyLayout[]
  /** Where the servers of a node send their statistics. */
  readonly statsd: Target
  /** Where its proxy sends the lines of its access log. */
  readonly accessLog: Target
  readonly memcached: readonly string[]
  /** Between passes of daemons, in seconds, unless their own is longer. By default each has its own. */
  readonly interval?: number
  /** False where the devices are folders. */
  readonly mountCheck: boolean
  readonly hasProxy: boolean
  /** Adds `s3api`, which lets the users of tempauth in by S3. */
  readonly servesS3?: boolean
  /** Lets users of this Keystone in, instead of those of tempauth. */
  readonly keystone?: ProxyKeystone
}

/** The Keystone that proxies ask about tokens, and their own login to it. */
export interface ProxyKeystone {
  readonly url: string
  readonly user: string
  readonly password: string
  /** PEM of its authority. */
  readonly ca: string
}

/** Users that the operator of the cluster has in tempauth, before Roost knows it. */
export const operatorUsers = {
  user_admin_admin: 'admin .admin .reseller_admin',
  user_test_tester: 'testing .admin',
  user_test2_tester2: 'testing2 .admin',
} as const

/**
 * A machine that stands still for seconds loses nothing: by themselves the servers give each other half a second, and what
 * they then leave to daemons is left for ever where those do not run.
 */
const requestTimeouts = { conn_timeout: 60, node_timeout: 60 } as const
const memcacheTimeouts = { connect_timeout: 60, io_timeout: 60 } as const

/** Every file below `/etc` of a node, as its operator wrote them, by path. */
export function configurationOf(node: NodeLayout, options: ConfigurationOptions): ReadonlyMap<string, string> {
  const servers = serverKinds.map((kind) => [`swift/${kind}-server.conf`, server(node, kind, options)] as const)
  return new Map([
    ['hostname', `store-${node.name}\n`],
    ['swift/swift.conf', swiftConf(options.policies)],
    ['swift/memcache.conf', ini({ memcache: { memcache_servers: options.memcached.join(','), ...memcacheTimeouts } })],
    ...(options.hasProxy ? proxyFiles(node, options) : []),
    ['swift/rsyncd.conf', rsyncd(node)],
    ...servers,
  ])
}

function proxyFiles(node: NodeLayout, options: ConfigurationOptions): readonly [string, string][] {
  const tempauth = { use: 'egg:swift#tempauth', token_life: 86400, ...operatorUsers }
  const users: readonly [string, string][] =
    options.keystone === undefined
      ? [['swift/proxy-server.conf.d/20-tempauth.conf', ini({ 'filter:tempauth': tempauth })]]
      : [
          ['swift/proxy-server.conf.d/20-keystone.conf', keystoneFilters(options.keystone)],
          ['swift/keystone-ca.pem', options.keystone.ca],
        ]
  return [
    ['swift/proxy-server.conf.d/10-base.conf', proxy(node, options)],
    ...users,
    ['swift/object-expirer.conf', expirer(node, options)],
  ]
}

/** As Swift's documentation of its Keystone middleware has it. */
function keystoneFilters({ url, user, password }: ProxyKeystone): string {
  const login = {
    auth_url: url,
    auth_type: 'password',
    project_domain_id: 'default',
    user_domain_id: 'default',
    project_name: 'service',
    username: user,
    password,
    delay_auth_decision: true,
  }
  return ini({
    'filter:s3token': { use: 'egg:swift#s3token', auth_uri: url, ...login },
    'filter:authtoken': {
      'paste.filter_factory': 'keystonemiddleware.auth_token:filter_factory',
      www_authenticate_uri: url,
      cafile: '/etc/swift/keystone-ca.pem',
      ...login,
      cache: 'swift.cache',
      include_service_catalog: false,
    },
    'filter:keystoneauth': {
      use: 'egg:swift#keystoneauth',
      operator_roles: 'member',
      reseller_admin_role: 'ResellerAdmin',
    },
  })
}

function common(node: NodeLayout, { statsd }: ConfigurationOptions): Settings {
  return {
    bind_ip: node.address,
    user: 'swift',
    swift_dir: '/etc/swift',
    log_level: 'INFO',
    log_udp_host: node.address,
    log_udp_port: ports.log + 1,
    log_statsd_host: statsd.address,
    log_statsd_port: statsd.port,
  }
}

const plainFilters =
  'catch_errors healthcheck gatekeeper listing_formats bulk tempurl copy slo dlo versioned_writes symlink'

function proxy(node: NodeLayout, options: ConfigurationOptions): string {
  const { statsd, accessLog, memcached } = options
  const plain = plainFilters.split(' ').map((name) => [`filter:${name}`, { use: `egg:swift#${name}` }] as const)
  const s3 = options.servesS3 === true ? 's3api ' : ''
  const users = options.keystone === undefined ? `${s3}tempauth` : `authtoken ${s3}${s3 && 's3token '}keystoneauth`
  const order = `catch_errors gatekeeper healthcheck proxy-logging cache recon listing_formats bulk tempurl ${users} copy container-quotas account-quotas slo dlo versioned_writes symlink proxy-logging proxy-server`
  return ini({
    // Without a parent, a proxy cannot be reloaded.
    DEFAULT: { ...common(node, options), workers: 1, bind_port: ports.proxy, expose_info: true },
    'pipeline:main': { pipeline: order },
    'app:proxy-server': {
      use: 'egg:swift#proxy',
      allow_account_management: true,
      account_autocreate: true,
      ...requestTimeouts,
      post_quorum_timeout: 60,
    },
    'filter:recon': { use: 'egg:swift#recon', recon_cache_path: '/var/cache/swift' },
    ...(options.servesS3 === true && { 'filter:s3api': { use: 'egg:swift#s3api' } }),
    'filter:cache': { use: 'egg:swift#memcache', memcache_servers: memcached.join(',') },
    'filter:container-quotas': { use: 'egg:swift#container_quotas' },
    'filter:account-quotas': { use: 'egg:swift#account_quotas' },
    'filter:proxy-logging': {
      use: 'egg:swift#proxy_logging',
      access_log_name: 'proxy-access',
      access_log_udp_host: accessLog.address,
      access_log_udp_port: accessLog.port,
      access_log_statsd_host: statsd.address,
      access_log_statsd_port: statsd.port,
      access_log_headers: false,
    },
    ...Object.fromEntries(plain),
  })
}

/**
 * Settings of a background daemon beside those that all have. For each pass an updater starts a process a device, and an auditor of
 * objects two, which take seconds of a processor.
 */
const paces: Readonly<Record<string, Settings & { readonly interval: number }>> = {
  'account-replicator': { interval: 5, rsync_module: '{replication_ip}::account' },
  'account-auditor': { interval: 10 },
  'container-replicator': { interval: 5, rsync_module: '{replication_ip}::container' },
  'container-updater': { interval: 20 },
  'container-auditor': { interval: 10 },
  'object-replicator': { interval: 5, rsync_module: '{replication_ip}::object' },
  'object-updater': { interval: 90 },
  'object-reconstructor': { interval: 5 },
  'object-auditor': { interval: 60, files_per_second: 20, zero_byte_files_per_second: 50 },
}

function server(node: NodeLayout, kind: ServerKind, options: ConfigurationOptions): string {
  const devices = { devices: '/srv/node', mount_check: options.mountCheck }
  const recon = { recon_cache_path: '/var/cache/swift' }
  const daemons = daemonsOf(kind, options)
  const nameOf = (name: string): Settings => (node.hasDebianNames ? { log_name: `swift-${name}` } : {})
  const setNameOf = (name: string): Settings => (node.hasDebianNames ? { 'set log_name': `swift-${name}` } : {})
  const paceOf = (name: string): Settings => {
    const pace = paces[name] ?? { interval: 5 }
    return { ...pace, interval: Math.max(pace.interval, options.interval ?? 0) }
  }
  return ini({
    // The parent of workers wakes up 80 times a second: those of a cluster would use a fifth of two processors at rest.
    DEFAULT: { ...common(node, options), ...nameOf(kind), workers: 0, bind_port: ports[kind], ...devices },
    'pipeline:main': { pipeline: `healthcheck recon ${kind}-server` },
    [`app:${kind}-server`]: {
      use: `egg:swift#${kind}`,
      ...setNameOf(`${kind}-server`),
      ...requestTimeouts,
      container_update_timeout: 60,
    },
    'filter:recon': { use: 'egg:swift#recon', ...recon },
    'filter:healthcheck': { use: 'egg:swift#healthcheck' },
    ...Object.fromEntries(daemons.map(({ name }) => [name, { ...nameOf(name), ...recon, ...paceOf(name) }])),
  })
}

/** Names of the daemons beside a server. */
function daemonsOf(kind: ServerKind, { policies }: ConfigurationOptions): readonly { readonly name: string }[] {
  const daemons = backgroundDaemons.filter((daemon) => daemon.kind === kind)
  const isCoded = policies.some(({ fragments }) => fragments)
  return kind === 'object' && isCoded ? [...daemons, { name: 'object-reconstructor' }] : daemons
}

function expirer(node: NodeLayout, options: ConfigurationOptions): string {
  return ini({
    DEFAULT: common(node, options),
    'object-expirer': { interval: 5, recon_cache_path: '/var/cache/swift' },
    'pipeline:main': { pipeline: 'catch_errors cache proxy-server' },
    'app:proxy-server': { use: 'egg:swift#proxy' },
    'filter:cache': { use: 'egg:swift#memcache', memcache_servers: options.memcached.join(',') },
    'filter:catch_errors': { use: 'egg:swift#catch_errors' },
  })
}

function rsyncd(node: NodeLayout): string {
  const modules = serverKinds.map((kind) => {
    const settings = {
      'max connections': 25,
      path: '/srv/node',
      'read only': false,
      'lock file': `/run/lock/${kind}.lock`,
    }
    return [kind, settings] as const
  })
  const head = ['uid = swift', 'gid = swift', 'use chroot = no', `address = ${node.address}`, 'port = 873', '']
  return `${head.join('\n')}\n${ini(Object.fromEntries(modules))}`
}
