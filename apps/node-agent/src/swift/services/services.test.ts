import { describe, expect, it } from 'vitest'
import { openMachine } from '../../machine/machine.js'
import { parseWaiting } from './async-pending.js'
import { type ConfiguredDaemon, readConfigured } from './configured.js'
import { DaemonStates } from './daemon-states.js'
import { type LastPass, PassMemory } from './last-pass.js'
import { createServiceList } from './service-list.js'
import { programOf, type SwiftProcess } from './swift-processes.js'
import { parseUnits, type SwiftUnit } from './units.js'
import { useWrittenRoot } from '../../inventory/testing/written-root.js'

const root = useWrittenRoot()
const { write } = root

describe('the configuration of servers and daemons', () => {
  it('names each server with its own address, and each daemon that has a section', () => {
    write(
      'etc/swift/object-server.conf',
      '[DEFAULT]\nbind_ip = 10.0.0.7\nbind_port = 6010\n[app:object-server]\nuse = egg:swift#object\n[object-updater]\ninterval = 77\n',
    )
    write('etc/swift/container-server/2.conf', '[DEFAULT]\nbind_port = 6021\n[container-sharder]\n')
    write('etc/swift/proxy-server.conf.d/10.conf', '[DEFAULT]\nbind_ip = ::\ncert_file = /etc/ssl/a.pem\n')
    write('etc/swift/object-expirer.conf', '[object-expirer]\n')
    const { servers, daemons } = readConfigured(openMachine(root.path), '/etc/swift')
    expect(servers.map(({ name, path, host, port, hasTls }) => [name, path, host, port, hasTls])).toEqual([
      ['object-server', '/etc/swift/object-server.conf', '10.0.0.7', 6010, false],
      ['container-server', '/etc/swift/container-server/2.conf', '127.0.0.1', 6021, false],
      ['proxy-server', '/etc/swift/proxy-server.conf.d', '127.0.0.1', 8080, true],
    ])
    expect(daemons.map(({ name, path, intervalSeconds }) => [name, path, intervalSeconds])).toEqual([
      ['object-updater', '/etc/swift/object-server.conf', 77],
      ['container-sharder', '/etc/swift/container-server/2.conf', 30],
      ['object-expirer', '/etc/swift/object-expirer.conf', 300],
    ])
  })

  it('has object servers with a port for each disk on the ports that the rings have for their address', () => {
    write('etc/swift/object-server.conf', '[DEFAULT]\nbind_ip = 10.0.0.7\nservers_per_port = 2\n')
    const devices = [
      { ip: '10.0.0.7', port: 6302 },
      { ip: '10.0.0.7', port: 6301 },
      { ip: '10.0.0.7', port: 6302 },
      { ip: '10.0.0.8', port: 6309 },
    ]
    const ports = () =>
      readConfigured(openMachine(root.path), '/etc/swift', devices).servers.map(({ host, port }) => `${host}:${port}`)
    expect(ports()).toEqual(['10.0.0.7:6301', '10.0.0.7:6302'])
    write('etc/swift/object-server.conf', '[DEFAULT]\nservers_per_port = 2\n')
    expect(ports()).toEqual(['127.0.0.1:6301', '127.0.0.1:6302', '127.0.0.1:6309'])
    expect(readConfigured(openMachine(root.path), '/etc/swift').servers).toEqual([])
  })
})

const pass = (is: LastPass['is'], key: string): LastPass => ({ cache: 'object', key, is })
const cache = (text: string) => new Map([['object' as const, { text, modifiedAt: 1_000_000 }]])

describe('the age of a last pass', () => {
  it('is that of its time, or counts from the reading that first had the result', () => {
    const memory = new PassMemory()
    const at = (text: string, second: number) =>
      memory.describe(cache(text), 1_000_000 + second * 1_000, second * 1_000)
    const ended = pass('time', 'object_reconstruction_last')
    const swept = pass('result', 'object_updater_sweep')
    const first = at('{"object_reconstruction_last": 990, "object_updater_sweep": 0.25}', 0)
    expect([first.passAge(ended), first.passAge(swept), first.ageOf('object')]).toEqual([10, 0, 0])
    const later = at('{"object_reconstruction_last": 990, "object_updater_sweep": 0.25}', 500)
    expect([later.passAge(ended), later.passAge(swept), later.ageOf('object')]).toEqual([510, 500, 500])
    expect(at('{"object_updater_sweep": 0.26}', 510).passAge(swept)).toBe(0)
  })

  it.each(['', '{', '[]', 'null', '{"object_updater_sweep": null}'])('is unknown, not 0, in the cache %j', (text) => {
    const found = new PassMemory().describe(cache(text), 2_000_000, 0)
    expect(found.passAge(pass('result', 'object_updater_sweep'))).toBeNull()
    expect(found.has(pass('result', 'object_updater_sweep'))).toBe(false)
  })
})

const updater: ConfiguredDaemon = {
  name: 'object-updater',
  path: '/etc/swift/object-server.conf',
  intervalSeconds: 300,
  cache: 'object',
  lastPass: pass('result', 'object_updater_sweep'),
  longestPassSeconds: 14_400,
}
const auditor: ConfiguredDaemon = { ...updater, name: 'object-auditor', lastPass: null, cache: null }
const process = (daemon: string, started: string): SwiftProcess => ({ daemon, started, path: updater.path })

/** Judges rounds ten seconds apart; answers the codes of each. */
function rounds(
  readings: readonly { readonly up?: readonly SwiftProcess[]; readonly unit?: SwiftUnit; readonly recon?: string }[],
) {
  const [states, memory] = [new DaemonStates(), new PassMemory()]
  return readings.map(({ up = [], unit, recon = '{}' }, i) => {
    const monotonicMs = i * 10_000
    const reading = {
      daemons: [updater, auditor],
      processes: up,
      units: new Map(unit === undefined ? [] : [['object-updater', unit]]),
      recon: memory.describe(cache(recon), 0, monotonicMs),
      monotonicMs,
    }
    const [judged] = states.judge(reading)
    return judged?.problems.map(({ code }) => code).join(' ')
  })
}

describe('a daemon', () => {
  const runs = { up: [process('object-updater', '7 100'), process('object-auditor', '8 100')] }
  const others = { up: [process('object-auditor', '8 100')] }

  it('that was seen and is absent twice has stopped, until it runs again', () => {
    expect(rounds([runs, others, others, runs])).toEqual(['', '', 'daemon_stopped', ''])
  })

  it('that was never seen is expected where recon has a result of it, if other programs are seen', () => {
    const result = '{"object_updater_sweep": 1.5}'
    const absent = { ...others, recon: result }
    expect(rounds([absent, absent])).toEqual(['', 'daemon_stopped'])
    expect(rounds([others, others])).toEqual(['', ''])
    expect(rounds([{ recon: result }, { recon: result }])).toEqual(['', ''])
  })

  it('is expected as its unit says', () => {
    const enabled = { unit: { isEnabled: true, isActive: true, restarts: 0 } }
    const disabled = { unit: { isEnabled: false, isActive: false, restarts: 0 } }
    expect(rounds([enabled, enabled])).toEqual(['', 'daemon_stopped'])
    expect(rounds([runs, { ...others, ...disabled }, { ...others, ...disabled }])).toEqual(['', '', ''])
  })

  it('is expected where something else than its disabled unit has run it for longer than units are not read', () => {
    const unit = { isEnabled: false, isActive: false, restarts: 0 }
    const [up, down] = [
      { ...runs, unit },
      { ...others, unit },
    ]
    expect(rounds([up, up, up, down, down])).toEqual(['', '', '', '', ''])
    expect(rounds([up, up, up, up, down, down])).toEqual(['', '', '', '', '', 'daemon_stopped'])
    const run = { ...runs, unit: { ...unit, isActive: true } }
    expect(rounds([run, run, run, run, down, down])).toEqual(['', '', '', '', '', ''])
  })

  it('that starts again and again is named once, by processes or by systemd', () => {
    const start = (time: number) => ({ up: [process('object-updater', `7 ${time}`)] })
    expect(rounds([start(1), {}, start(2), start(3), {}, start(4), {}, {}, {}])).toEqual([
      '',
      '',
      '',
      '',
      '',
      'daemon_restarts',
      'daemon_restarts',
      'daemon_restarts',
      'daemon_restarts',
    ])
    const unit = (restarts: number) => ({ ...runs, unit: { isEnabled: true, isActive: true, restarts } })
    expect(rounds([unit(40), unit(42), unit(43)])).toEqual(['', '', 'daemon_restarts'])
  })

  it('that completes no pass is late after a long pass and three intervals', () => {
    const round = { ...runs, recon: '{"object_updater_sweep": 1.5}' }
    const found = rounds(Array.from({ length: 1_532 }, () => round))
    expect([found[1_530], found[1_531]]).toEqual(['', 'daemon_late'])
  })
})

describe('processes, units and updates', () => {
  it.each([
    [
      '/usr/bin/python3\0/usr/bin/swift-object-updater\0/etc/swift/object-server.conf\0',
      'object-updater',
      '/etc/swift/object-server.conf',
    ],
    [
      '/opt/venv/bin/swift-proxy-server\0/etc/swift/proxy-server.conf.d/\0-v\0',
      'proxy-server',
      '/etc/swift/proxy-server.conf.d',
    ],
  ])('the command line %j is of %s', (line, daemon, path) => expect(programOf(line)).toEqual({ daemon, path }))

  it.each([undefined, '', '/bin/cat\0/etc/passwd\0', '/usr/bin/swift-init\0all\0start\0'])(
    'the command line %j is of no daemon',
    (line) => expect(programOf(line)).toBeUndefined(),
  )

  it('units have their restarts, and those that systemd does not know are absent', () => {
    const text =
      'Id=swift-object-updater.service\nActiveState=activating\nUnitFileState=enabled\nNRestarts=4\n\nId=openstack-swift-container-sharder.service\nActiveState=inactive\nUnitFileState=disabled\nNRestarts=0\n\nId=swift-x.service\nUnitFileState=\nNRestarts=0\n'
    expect([...parseUnits(text)]).toEqual([
      ['object-updater', { isEnabled: true, isActive: true, restarts: 4 }],
      ['container-sharder', { isEnabled: false, isActive: false, restarts: 0 }],
    ])
  })

  it('the oldest of the updates that wait is found by its name', () => {
    const text = `./async_pending/a83/${'a'.repeat(32)}-1795170738.06000\n./async_pending-1/0ff/${'b'.repeat(32)}-1795170700.50000_0000000000000001\n./async_pending/a83/tmp\n`
    expect(parseWaiting(text, true)).toEqual({ count: 2, oldest: 1_795_170_700.5 })
    expect(parseWaiting(text, false).count).toBeNull()
    expect(parseWaiting('', true)).toEqual({ count: 0, oldest: null })
  })
})

describe('the list of services', () => {
  it('keeps since when a service has its state, and calls back when one changes', () => {
    let now = 1_000_000
    const list = createServiceList({ now: () => now })
    let changes = 0
    list.onChange(() => (changes += 1))
    const service = { name: 'object-server', file: '/etc/swift/object-server.conf', address: '10.0.0.7:6200' }
    const states = () => list.list().map(({ state, since }) => [state, since])
    list.set([{ ...service, state: 'up' }])
    now += 60_000
    list.set([{ ...service, state: 'up' }])
    expect([states(), changes]).toEqual([[['up', 1_000]], 1])
    list.set([{ ...service, state: undefined }])
    expect([states(), changes]).toEqual([[['up', 1_000]], 1])
    list.set([{ ...service, state: 'down' }])
    expect([states(), changes]).toEqual([[['down', 1_060]], 2])
    list.set([])
    expect([states(), changes]).toEqual([[], 3])
  })
})
