import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readInventory } from '../../inventory/testing/read-inventory.js'
import { useWrittenRoot } from '../../inventory/testing/written-root.js'
import { openMachine } from '../../machine/machine.js'
import { readProxyAuthentication } from './authentication.js'
import { readProxySettings } from './proxy-settings.js'

const root = useWrittenRoot()
const { write } = root
const read = () => readProxyAuthentication(openMachine(root.path), '/etc/swift')

const filters = `[filter:tempauth]
use = egg:swift#tempauth
[filter:keystoneauth]
use = egg:swift#keystoneauth
[filter:authtoken]
paste.filter_factory = keystonemiddleware.auth_token:filter_factory
[filter:mine]
use = egg:mine#auth
`
const pipeline = (...names: readonly string[]) =>
  `${filters}[pipeline:main]\npipeline = ${names.join(' ')} proxy-server\n`
const conf = 'etc/swift/proxy-server.conf'

/** A process that started so many seconds ago, on a machine that runs for an hour, in a container that runs for a minute. */
function runs(pid: number, name: string, secondsAgo: number, { parent = 1, args = [name] as readonly string[] } = {}) {
  const ticksAt = (ago: number) => Math.round((3_600 - ago) * 100)
  const ticks = ticksAt(secondsAgo)
  write('proc/uptime', '60.00 1.00\n')
  write('proc/self/stat', `9 (node) S 1 ${'0 '.repeat(17)}${ticksAt(process.uptime())} 0\n`)
  write(`proc/${pid}/comm`, `${name}\n`)
  write(`proc/${pid}/cmdline`, `${args.join('\0')}\0`)
  // Workers handle SIGUSR1 and leave SIGTERM to the kernel; the first process handles both.
  const signals = parent === 1 ? '4200' : '200'
  write(
    `proc/${pid}/status`,
    `Name:\t${name}\nState:\tS (sleeping)\nPPid:\t${parent}\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nSigCgt:\t${signals}\n`,
  )
  write(`proc/${pid}/stat`, `${pid} (${name}) S ${parent} ${'0 '.repeat(17)}${ticks} 0\n`)
}
const proxy = { args: ['python3', '/usr/bin/swift-proxy-server', '/etc/swift/proxy-server.conf'] }
const inFolder = { args: ['python3', '/usr/bin/swift-proxy-server', '/etc/swift/proxy-server.conf.d/'] }

describe('the authentication of a proxy', () => {
  it.each([
    ['tempauth', ['cache', 'tempauth']],
    ['keystone', ['authtoken', 'keystoneauth']],
    ['keystone', ['authtoken']],
    ['tempauth', ['authtoken', 'keystoneauth', 'tempauth']],
    ['other', ['mine']],
    ['other', ['cache']],
  ])('is %s by the pipeline %j', async (name, names) => {
    write(conf, pipeline(...names))
    expect(read()).toBe(name)
    expect((await readInventory(root.path)).proxy_authentication).toBe(name)
  })

  it.each([
    [['authtoken', 'keystoneauth'], /authenticates with Keystone/],
    [['mine'], /has no tempauth/],
  ])('%j is a reason against a deployment', (names, reason) => {
    expect(() => readProxySettings([pipeline(...names)], '')).toThrow(reason)
  })

  it('is that of the folder, where the proxy has one, without the file of the users', () => {
    write(conf, pipeline('tempauth'))
    write('etc/swift/proxy-server.conf.d/10-proxy.conf', pipeline('tempauth'))
    write('etc/swift/proxy-server.conf.d/20-more.conf', '[pipeline:main]\npipeline = keystoneauth proxy-server\n')
    write('etc/swift/proxy-server.conf.d/50-roost-users.conf', '[pipeline:main]\npipeline = tempauth proxy-server\n')
    expect(read()).toBe('keystone')
  })

  it('is not known without a proxy, without a pipeline, and where the file cannot be read', async () => {
    expect(read()).toBeUndefined()
    expect(await readInventory(root.path)).not.toHaveProperty('proxy_authentication')
    write(conf, filters)
    expect(read()).toBeUndefined()
    rmSync(join(root.path, conf))
    symlinkSync('proxy-server.conf', join(root.path, conf))
    expect(read()).toBeUndefined()
  })
})

describe('a proxy that may still run with tempauth', () => {
  it('is not known until each of its workers has started after the change', () => {
    write(conf, pipeline('keystoneauth'))
    runs(7, 'swift-proxy-ser', 600, proxy)
    runs(8, 'swift-proxy-ser', 600, { ...proxy, parent: 7 })
    expect(read()).toBeUndefined()
    runs(9, 'swift-proxy-ser', 0, { ...proxy, parent: 7 })
    expect(read()).toBeUndefined()
    rmSync(join(root.path, 'proc/8'), { recursive: true })
    // A reload keeps the first process, and starts new workers.
    expect(read()).toBe('keystone')
  })

  it('is not known after a file of its folder was removed', () => {
    write('etc/swift/proxy-server.conf.d/10-proxy.conf', pipeline('keystoneauth'))
    write('etc/swift/proxy-server.conf.d/20-more.conf', '[pipeline:main]\npipeline = tempauth proxy-server\n')
    runs(7, 'swift-proxy-ser', 0.3, inFolder)
    expect(read()).toBe('tempauth')
    runs(7, 'swift-proxy-ser', 0.3, inFolder)
    rmSync(join(root.path, 'etc/swift/proxy-server.conf.d/20-more.conf'))
    expect(read()).toBeUndefined()
    runs(7, 'swift-proxy-ser', 0, inFolder)
    expect(read()).toBe('keystone')
  })

  it('is not known under uWSGI until its first process has started after the change, which may have loaded the application', () => {
    const uwsgi = { args: ['/usr/bin/uwsgi', '--ini', '/etc/swift/swift-proxy-server-uwsgi.ini'] }
    write(conf, pipeline('keystoneauth'))
    runs(7, 'uwsgi-core', 600, uwsgi)
    runs(8, 'uwsgi-core', 0, { ...uwsgi, parent: 7 })
    expect(read()).toBeUndefined()
    runs(7, 'uwsgi-core', 0, uwsgi)
    expect(read()).toBe('keystone')
  })

  it('is not known while it runs with another file or folder than the one that a start would read', () => {
    write(conf, pipeline('keystoneauth'))
    runs(7, 'swift-proxy-ser', 0, inFolder) // the folder was moved away
    expect(read()).toBeUndefined()
    write('etc/swift/proxy-server.conf.d/10-proxy.conf', pipeline('keystoneauth'))
    runs(7, 'swift-proxy-ser', 0, inFolder)
    expect(read()).toBe('keystone')
    runs(7, 'swift-proxy-ser', 0, proxy) // the file beside it
    expect(read()).toBeUndefined()
  })

  it('is not known where the start of its process would be in the future, or that of the agent cannot be read', () => {
    write(conf, pipeline('keystoneauth'))
    runs(7, 'swift-proxy-ser', -5, proxy)
    expect(read()).toBeUndefined()
    runs(7, 'swift-proxy-ser', 0, proxy)
    expect(read()).toBe('keystone')
    write('proc/uptime', '3660.00 1.00\n') // then it has started a minute ago
    expect(read()).toBeUndefined()
    runs(7, 'swift-proxy-ser', 0, proxy)
    expect(read()).toBe('keystone')
    rmSync(join(root.path, 'proc/self/stat'))
    expect(read()).toBeUndefined()
  })

  it('is not known where the start of its process cannot be read', () => {
    write(conf, pipeline('keystoneauth'))
    runs(7, 'swift-proxy-ser', 0, proxy)
    expect(read()).toBe('keystone')
    rmSync(join(root.path, 'proc/7/stat'))
    expect(read()).toBeUndefined()
  })
})
