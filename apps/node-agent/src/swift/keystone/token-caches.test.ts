import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openMachine } from '../../machine/machine.js'
import { readTokenCaches } from './token-caches.js'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'roost-caches-'))
})
afterAll(() => rm(root, { recursive: true }))

const filters = {
  authtoken: 'paste.filter_factory = keystonemiddleware.auth_token:filter_factory',
  s3token: 'use = egg:swift#s3token',
  cache: 'use = egg:swift#memcache',
  tempauth: 'use = egg:swift#tempauth',
} as const
let proxies = 0

/** Returns the caches of a proxy with these filters, each with more lines. */
async function cachesOf(settings: Readonly<Partial<Record<keyof typeof filters, string>>>) {
  const swift = `/etc/swift-${proxies++}`
  const names = Object.keys(settings) as (keyof typeof filters)[]
  const sections = names.map((name) => `[filter:${name}]\n${filters[name]}\n${settings[name] ?? ''}\n`)
  const file = join(root, swift, 'proxy-server.conf')
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `[pipeline:main]\npipeline = ${names.join(' ')} proxy-server\n${sections.join('')}`)
  await writeFile(join(root, swift, 'memcache.conf'), '[memcache]\nmemcache_servers = 10.0.0.1:11211,[::1]:11212\n')
  return readTokenCaches(openMachine(root), swift)
}
const shared = [
  { host: '10.0.0.1', port: 11211 },
  { host: '::1', port: 11212 },
]

it('a proxy without Keystone caches no tokens of Keystone', async () => {
  expect(await cachesOf({ cache: '', tempauth: '' })).toEqual([])
  expect(readTokenCaches(openMachine(root), '/etc/no-swift')).toEqual([])
})

it('tokens are cached in the servers of Swift, in servers of authtoken, or where no agent finds them', async () => {
  const inMemory = { memcached: [], seconds: 300, hidden: expect.stringContaining('memory of each worker') }
  expect(await cachesOf({ cache: '', authtoken: 'cache = swift.cache' })).toEqual([
    { memcached: shared, hidden: null, seconds: 300 },
  ])
  expect(
    await cachesOf({ authtoken: 'memcached_servers = inet6:[::1]:11211, 10.0.0.2:1\ntoken_cache_time = 60' }),
  ).toEqual([
    {
      memcached: [
        { host: '::1', port: 11211 },
        { host: '10.0.0.2', port: 1 },
      ],
      hidden: null,
      seconds: 60,
    },
  ])
  expect(await cachesOf({ cache: '', authtoken: '' })).toEqual([inMemory])
  expect(await cachesOf({ authtoken: 'cache = swift.cache' })).toEqual([inMemory])
  expect(await cachesOf({ cache: '', authtoken: 'cache = swift.cache\nmemcache_security_strategy = ENCRYPT' })).toEqual(
    [{ memcached: [], seconds: 300, hidden: 'memcache_security_strategy = ENCRYPT hides whose tokens are cached' }],
  )
  expect(await cachesOf({ cache: 'tls_enabled = yes', authtoken: 'cache = swift.cache' })).toEqual([
    { memcached: [], seconds: 300, hidden: expect.stringContaining('require TLS') },
  ])
  expect(await cachesOf({ cache: '', authtoken: 'cache = swift.cache\ntoken_cache_time = -1' })).toEqual([])
})

it('keys of S3 are cached only where it is set', async () => {
  const authtoken = 'cache = swift.cache\ntoken_cache_time = -1'
  expect(await cachesOf({ cache: '', s3token: '', authtoken })).toEqual([])
  expect(await cachesOf({ cache: '', s3token: 'secret_cache_duration = 600', authtoken })).toEqual([
    { memcached: shared, hidden: null, seconds: 600 },
  ])
})

it('settings outside of the configuration of the proxy are an error', async () => {
  await expect(cachesOf({ authtoken: 'oslo_config_project = swift' })).rejects.toThrow('(oslo_config_project)')
})
