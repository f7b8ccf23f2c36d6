import { loginOfLine } from '@roost/api-types/agent'
import { parseCasedIni } from '../config/ini.js'
import type { Ini } from '../config/ini.js'
import type { UserEntry } from './lines/entry.js'

export interface Endpoint {
  readonly host: string
  readonly port: number
}

/** The settings of a proxy that concern logins. */
export interface ProxySettings {
  /** The section of tempauth, such as `filter:tempauth`. */
  readonly section: string
  /** The users that the operator of the cluster configured in tempauth. */
  readonly operatorUsers: readonly UserEntry[]
  /** The prefix of accounts and tokens, such as `AUTH_`. */
  readonly prefix: string
  readonly authPath: string
  readonly address: Endpoint
  readonly isTls: boolean
  readonly memcached: readonly Endpoint[]
  /** False if it is configured to serve requests in its first process, which cannot reload. */
  readonly hasWorkers: boolean
  /** The account of the machine that runs it. */
  readonly account: string
}

/** Parses the files that a proxy merges, without our own. Throws a sentence if users cannot be deployed to this proxy. */
export function readProxySettings(texts: readonly string[], memcacheConf: string): ProxySettings {
  const ini = parseCasedIni(...texts)
  const pipeline = pipelineOf(ini)
  if (pipeline.length === 0) throw new Error("The proxy's configuration has no pipeline.")
  const section = tempauthSection(ini, pipeline)
  const settings = ini.get(section) ?? new Map<string, string>()
  const defaults = ini.get('DEFAULT') ?? new Map<string, string>()
  return {
    section,
    operatorUsers: operatorUsersOf(settings),
    prefix: resellerPrefix(settings.get('reseller_prefix')),
    authPath: `/${(settings.get('auth_prefix') ?? '').replace(/^\/+|\/+$/g, '') || 'auth'}/`,
    address: { host: reachable(defaults.get('bind_ip')), port: Number(defaults.get('bind_port') ?? 8080) },
    isTls: defaults.has('cert_file'),
    memcached: memcachedServers(ini, pipeline, memcacheConf),
    hasWorkers: hasWorkers(defaults),
    account: defaults.get('user') ?? 'swift',
  }
}

function operatorUsersOf(settings: ReadonlyMap<string, string>): readonly UserEntry[] {
  const lines = [...settings].filter(([name]) => /^user(64)?_/.test(name))
  return lines.map(([line, value]) => {
    const [key = '', ...groups] = value.trim().split(/\s+/)
    return { line, login: loginOfLine(line), key, groups }
  })
}

function hasWorkers(defaults: ReadonlyMap<string, string>): boolean {
  return defaults.get('workers')?.trim() !== '0'
}

export function isFilter(ini: Ini, name: string, egg: string): boolean {
  const settings = ini.get(`filter:${name}`)
  const use = settings?.get('use') ?? settings?.get('paste.filter_factory') ?? ''
  return use.endsWith(`#${egg}`) || use.includes(`${egg}:filter_factory`)
}

type Authentication =
  | { readonly kind: 'tempauth' | 'keystone'; readonly filter: string }
  | { readonly kind: 'other'; readonly filter: null }

/** Returns how a proxy with this pipeline authenticates. With tempauth beside Keystone, it accepts the users of tempauth. */
export function authenticationOf(ini: Ini, pipeline: readonly string[]): Authentication {
  const find = (...eggs: readonly string[]) => pipeline.find((entry) => eggs.some((egg) => isFilter(ini, entry, egg)))
  const tempauth = find('tempauth')
  if (tempauth !== undefined) return { kind: 'tempauth', filter: tempauth }
  const keystone = find('keystoneauth', 'auth_token')
  return keystone === undefined ? { kind: 'other', filter: null } : { kind: 'keystone', filter: keystone }
}

export function pipelineOf(ini: Ini): readonly string[] {
  return (ini.get('pipeline:main')?.get('pipeline') ?? '').split(/\s+/).filter(Boolean)
}

function tempauthSection(ini: Ini, pipeline: readonly string[]): string {
  const { kind, filter } = authenticationOf(ini, pipeline)
  if (kind === 'tempauth') return `filter:${filter}`
  if (kind === 'keystone')
    throw new Error(
      `The proxy of this cluster authenticates with Keystone ('${filter}' in its pipeline). Users are deployed to tempauth only. Set the identity service of the cluster with \`roost cluster set-identity\`. If other proxies of the cluster have tempauth, restart this proxy: it is left out then.`,
    )
  throw new Error(`The proxy's pipeline has no tempauth (${pipeline.join(' ')}). Users are deployed to tempauth only.`)
}

/** Returns the first prefix, under which tempauth stores its tokens. */
function resellerPrefix(setting = 'AUTH'): string {
  const [first = "''"] = setting
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  const prefix = first === "''" ? '' : first
  return prefix === '' || prefix.endsWith('_') ? prefix : `${prefix}_`
}

function reachable(address = '0.0.0.0'): string {
  const anywhere: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }
  return anywhere[address] ?? address
}

/** Follows Swift's order: the filter, then `memcache.conf`, then this machine. */
export function memcachedServers(ini: Ini, pipeline: readonly string[], memcacheConf: string): readonly Endpoint[] {
  const name = pipeline.find((entry) => isFilter(ini, entry, 'memcache'))
  const own = name === undefined ? undefined : ini.get(`filter:${name}`)
  const common = parseCasedIni(memcacheConf).get('memcache')
  const setting = (key: string) => own?.get(key) || common?.get(key)
  if (/^(true|1|yes|on|t|y)$/i.test(setting('tls_enabled') ?? ''))
    throw new Error('The memcached servers of the proxy require TLS. The agent cannot revoke tokens over TLS.')
  const servers = (setting('memcache_servers') || '127.0.0.1:11211').split(',').map((part) => part.trim())
  return servers.filter(Boolean).map(endpointOf)
}

export function endpointOf(text: string): Endpoint {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? []
  const host = bracketed ?? plain
  if (host === undefined)
    throw new Error(
      `The memcached server '${text}' of the proxy is not a valid address. Use HOST or HOST:PORT in memcache_servers.`,
    )
  return { host, port: Number(port ?? 11211) }
}
