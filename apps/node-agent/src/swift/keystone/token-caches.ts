import type { Machine } from '../../machine/machine.js'
import { parseCasedIni } from '../config/ini.js'
import type { Ini } from '../config/ini.js'
import { readServerFiles } from '../config/server-files.js'
import { endpointOf, isFilter, memcachedServers, pipelineOf } from '../users/proxy-settings.js'
import type { Endpoint } from '../users/proxy-settings.js'

/** Where a filter of a proxy keeps what Keystone answered about tokens or keys. */
export interface TokenCache {
  /** The servers that have it; empty where `hidden` says why entries cannot be found. */
  readonly memcached: readonly Endpoint[]
  readonly hidden: string | null
  /** How long it accepts an entry. */
  readonly seconds: number
}

type Settings = ReadonlyMap<string, string>

/** The defaults of keystonemiddleware. */
const tokenCacheSeconds = 300

/**
 * Reads the caches of every proxy of this node that authenticates with Keystone; none for other proxies. Throws a sentence where
 * the settings cannot be read.
 */
export function readTokenCaches(machine: Machine, swiftDirectory: string): readonly TokenCache[] {
  const memcacheConf = machine.read(`${swiftDirectory}/memcache.conf`) ?? ''
  return readServerFiles(machine, swiftDirectory, 'proxy-server', fail).flatMap(({ path, texts }) =>
    cachesOf(path, parseCasedIni(...texts), memcacheConf),
  )
}

function fail(path: string, error: unknown): never {
  throw new Error(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)}).`)
}

function cachesOf(path: string, ini: Ini, memcacheConf: string): readonly TokenCache[] {
  const pipeline = pipelineOf(ini)
  const filtersOf = (egg: string) =>
    pipeline.filter((name) => isFilter(ini, name, egg)).map((name) => ini.get(`filter:${name}`) ?? new Map())
  // Without this filter there is no cache in the environment of requests.
  const shared = pipeline.some((name) => isFilter(ini, name, 'memcache'))
    ? () => memcachedServers(ini, pipeline, memcacheConf)
    : undefined
  return [
    ...filtersOf('auth_token').flatMap((settings) => tokensOf(path, settings, shared)),
    ...filtersOf('s3token').flatMap((settings) => keysOf(settings, shared)),
  ]
}

/** The cache of `authtoken`, by its own rules: that of Swift, servers of its own, or the memory of each worker. */
function tokensOf(path: string, settings: Settings, shared: (() => readonly Endpoint[]) | undefined): TokenCache[] {
  const elsewhere = ['oslo_config_project', 'oslo_config_file', 'oslo_config_config'].find((key) => settings.has(key))
  if (elsewhere !== undefined)
    throw new Error(
      `The settings of authtoken are outside of ${path} (${elsewhere}), where the agent does not read them.`,
    )
  const seconds = Number(settings.get('token_cache_time') ?? tokenCacheSeconds)
  if (!(seconds > 0)) return []
  const strategy = settings.get('memcache_security_strategy') ?? ''
  if (strategy !== '' && strategy !== 'None')
    return [hiddenBy(`memcache_security_strategy = ${strategy} hides whose tokens are cached`, seconds)]
  if (settings.has('cache') && shared !== undefined) return [cacheIn(shared, seconds)]
  const servers = ownServers(settings)
  if (servers.length > 0) return [cacheIn(() => servers.map(endpointOf), seconds)]
  return [hiddenBy('authtoken caches tokens in the memory of each worker; set cache = swift.cache', seconds)]
}

function ownServers(settings: Settings): readonly string[] {
  const text = settings.get('memcached_servers') ?? settings.get('memcache_servers') ?? ''
  return text.split(',').flatMap((part) => part.trim().replace(/^inet6?:/, '') || [])
}

/** The cache of `s3token`, which is off unless it is set. */
function keysOf(settings: Settings, shared: (() => readonly Endpoint[]) | undefined): TokenCache[] {
  const seconds = Number(settings.get('secret_cache_duration') ?? 0)
  return seconds > 0 && shared !== undefined ? [cacheIn(shared, seconds)] : []
}

function cacheIn(servers: () => readonly Endpoint[], seconds: number): TokenCache {
  try {
    return { memcached: servers(), hidden: null, seconds }
  } catch (error) {
    return hiddenBy((error as Error).message, seconds)
  }
}

function hiddenBy(hidden: string, seconds: number): TokenCache {
  return { memcached: [], hidden, seconds }
}
