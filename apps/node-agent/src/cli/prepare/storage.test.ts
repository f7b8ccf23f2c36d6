import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { treeOf } from './testing/tree.js'

const program = fileURLToPath(new URL('../../../bin/roost-agent.js', import.meta.url))
const examples = (kind: string) => `/usr/share/doc/swift-${kind}/examples/${kind}-server.conf`
const kinds = ['account', 'container', 'object'] as const
const expirerExample = '/usr/share/doc/swift-object-expirer/examples/object-expirer.conf'
const hasDebianFiles = [...kinds.map(examples), expirerExample].every((path) => existsSync(path))
/** Prints where the daemons of these configurations send their statistics, as Swift's own programs read it. */
const load = `import sys
from swift.common.utils import readconf
for daemon, path in zip(sys.argv[1::2], sys.argv[2::2]):
    settings = readconf(path, daemon)
    print(settings['log_statsd_host'], settings['log_statsd_port'])`
/** Prints where the filter of a configuration that logs requests sends its statistics. */
const loadFilter = `import sys
from paste.deploy.loadwsgi import FILTER, loadcontext
print(loadcontext(FILTER, 'config:' + sys.argv[1], name='proxy-logging').config().get('log_statsd_host'))`
/** Debian's packages are for this one. */
const python = '/usr/bin/python3'
const hasSwift = spawnSync(python, ['-c', 'import swift.common.utils']).status === 0
const expirer =
  '[DEFAULT]\nlog_name = swift-object-expirer\n\n[object-expirer]\ninterval = 300\n\n[app:proxy-server]\nuse = egg:swift#proxy\n'
const plain = '[DEFAULT]\nbind_port = 6200\n\n[pipeline:main]\npipeline = object-server\n'

let root: string
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const tree = () => treeOf(root)

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'roost-storage-'))
  write('/agent/config.json', '{ "statsd": {"port": 8126} }\n')
})
afterEach(() => rmSync(root, { recursive: true }))

function storage(...args: readonly string[]) {
  const where = ['--root', root, '--data-dir', join(root, 'agent')]
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...where, 'storage', ...args], {
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe('roost-agent storage prepare', () => {
  it('prints each change as a diff and which servers have to be restarted, and changes nothing without --yes', () => {
    write('/etc/swift/object-server.conf', plain)
    const before = tree()
    const { status, stdout } = storage('prepare')
    expect(status).toBe(0)
    expect(stdout).toContain('+log_statsd_host = 127.0.0.1\n+log_statsd_port = 8126\n')
    expect(stdout).toContain(
      'The servers and daemons of /etc/swift/object-server.conf that run have to be restarted once.',
    )
    expect(stdout).toMatch(/No changes were made\. Run this command again with --yes to apply them\.\n$/)
    expect(tree()).toEqual(before)
  })

  it('keeps every other line, mode and owner, finds nothing to do afterwards, and leave reverts it to the byte', () => {
    write('/etc/swift/object-server.conf', plain)
    chmodSync(join(root, '/etc/swift/object-server.conf'), 0o640)
    const before = tree()
    expect(storage('prepare', '--yes')).toMatchObject({ status: 0, stdout: expect.stringMatching(/Done\.\n$/) })
    expect(read('/etc/swift/object-server.conf')).toBe(
      plain.replace(
        '[DEFAULT]\n',
        '[DEFAULT]\n# Written by `roost-agent storage prepare`.\nlog_statsd_host = 127.0.0.1\nlog_statsd_port = 8126\n',
      ),
    )
    expect(read('/etc/swift/object-server.conf.before-roost')).toBe(plain)
    expect(storage('prepare', '--yes').stdout).toBe('These storage servers are prepared. There is nothing to do.\n')
    expect(storage('leave').stdout).toMatch(/have to be restarted once\.[^]*No changes were made\. .*\n$/)
    expect(storage('leave', '--yes')).toMatchObject({ status: 0, stdout: expect.stringMatching(/Done\.\n$/) })
    expect(tree()).toEqual(before)
    expect(storage('leave', '--yes').stdout).toContain('There is nothing to undo.')
  })

  it('prepares every instance: files, folders of pieces, and files behind links', () => {
    write('/etc/swift/object-server/1.conf', plain)
    write('/etc/swift/object-server/2.conf.d/10-base.conf', plain)
    write('/etc/swift/object-server/2.conf.d/20-own.conf', '[DEFAULT]\nlog_statsd_host =\n')
    write('/etc/swift/container-server.conf.d/00.conf', plain)
    write('/srv/config/account.conf', plain)
    symlinkSync('../../srv/config/account.conf', join(root, '/etc/swift/account-server.conf'))
    const before = tree()
    const { status, stdout } = storage('prepare', '--yes')
    expect(status).toBe(0)
    for (const path of [
      'object-server/1.conf',
      'object-server/2.conf.d',
      'container-server.conf.d',
      'account-server.conf',
    ])
      expect(stdout).toMatch(new RegExp(`The servers and daemons of .*/etc/swift/${path}[ ,]`))
    for (const path of [
      '/etc/swift/object-server/1.conf',
      '/etc/swift/object-server/2.conf.d/90-roost-storage.conf',
      '/etc/swift/container-server.conf.d/90-roost-storage.conf',
      '/srv/config/account.conf',
    ])
      expect(read(path)).toContain('\nlog_statsd_host = 127.0.0.1\nlog_statsd_port = 8126\n')
    expect(read('/etc/swift/object-server/2.conf.d/10-base.conf')).toBe(plain)
    expect(storage('prepare').stdout).toContain('There is nothing to do.\n')
    expect(storage('leave', '--yes').status).toBe(0)
    expect(tree()).toEqual(before)
  })

  it('prepares every configuration of object-expirer, in the section of the daemon alone', () => {
    write('/etc/swift/object-expirer.conf', expirer)
    write(
      '/etc/swift/object-expirer/1.conf',
      expirer.replace('interval = 300', 'log_statsd_host =\nlog_statsd_port = 9'),
    )
    write('/etc/swift/object-expirer/2.conf.d/10-base.conf', expirer)
    const before = tree()
    expect(storage('prepare', '--yes').stdout).toMatch(
      /The servers and daemons of .*\/object-expirer\/2\.conf\.d that run/,
    )
    expect(read('/etc/swift/object-expirer.conf')).toBe(
      expirer.replace(
        '[object-expirer]\n',
        '[object-expirer]\n# Written by `roost-agent storage prepare`.\nlog_statsd_host = 127.0.0.1\nlog_statsd_port = 8126\n',
      ),
    )
    expect(read('/etc/swift/object-expirer/1.conf')).toBe(
      expirer.replace('interval = 300', 'log_statsd_host = 127.0.0.1\nlog_statsd_port = 8126'),
    )
    expect(read('/etc/swift/object-expirer/2.conf.d/90-roost-storage.conf')).toContain(
      '\n[object-expirer]\nlog_statsd_host = 127.0.0.1\nlog_statsd_port = 8126\n',
    )
    expect(storage('prepare').stdout).toContain('There is nothing to do.\n')
    expect(storage('leave', '--yes').status).toBe(0)
    expect(tree()).toEqual(before)
  })

  it.each([
    ['its section', 'interval = 300', 'log_statsd_host = 10.0.0.9\nlog_statsd_metric_prefix = rack1'],
    ['[DEFAULT]', 'log_name = swift-object-expirer', 'log_statsd_host = 10.0.0.9\nlog_statsd_metric_prefix = rack1'],
  ])('leaves an object-expirer that sends its statistics elsewhere by %s, and says so', (_section, own, other) => {
    write('/etc/swift/object-expirer.conf', expirer.replace(own, other))
    const { stdout } = storage('prepare', '--yes')
    expect(stdout).toContain(
      'The object-expirer of /etc/swift/object-expirer.conf sends its statistics to 10.0.0.9:8125, which stays so',
    )
    expect(stdout).toContain('/etc/swift/object-expirer.conf has log_statsd_metric_prefix = rack1')
    expect(read('/etc/swift/object-expirer.conf')).toBe(expirer.replace(own, other))
  })

  it('leaves files that start no daemon which sends statistics', () => {
    write('/etc/swift/object-server.conf', plain)
    write('/etc/swift/object-expirer.conf', '[DEFAULT]\nlog_name = none\n')
    write('/etc/swift/container-reconciler.conf', expirer.replaceAll('object-expirer', 'container-reconciler'))
    expect(storage('prepare', '--yes').stdout).not.toMatch(/expirer|reconciler/)
    expect(read('/etc/swift/object-expirer.conf')).toBe('[DEFAULT]\nlog_name = none\n')
  })

  it('sets a key that is there in its line, because Swift refuses a file that has it twice', () => {
    const own =
      '[pipeline:main]\npipeline = x\n[DEFAULT]\r\nlog_statsd_port: 9000\r\nlog_statsd_host =\r\nworkers = 1\r\n'
    write('/etc/swift/account-server.conf', own)
    expect(storage('prepare', '--yes').status).toBe(0)
    expect(read('/etc/swift/account-server.conf')).toBe(
      own
        .replace('log_statsd_port: 9000', 'log_statsd_port = 8126')
        .replace('log_statsd_host =', 'log_statsd_host = 127.0.0.1'),
    )
  })

  it('adds the section to a file without it', () => {
    write('/etc/swift/object-server.conf', '[pipeline:main]\npipeline = object-server\n')
    expect(storage('prepare', '--yes').status).toBe(0)
    expect(read('/etc/swift/object-server.conf')).toMatch(
      /^\[DEFAULT\]\n# .*\nlog_statsd_host = .*\nlog_statsd_port = .*\n\n\[pipe/,
    )
  })

  it('leaves servers that send their statistics elsewhere, and says so', () => {
    write('/etc/swift/object-server.conf', '[DEFAULT]\nlog_statsd_host = 10.0.0.9\n')
    const own = '[DEFAULT]\nlog_statsd_metric_prefix = rack1\n[app:container-server]\nset log_statsd_host = 10.0.0.8\n'
    write('/etc/swift/container-server.conf', own)
    const { stdout } = storage('prepare', '--yes')
    expect(stdout).toContain(
      'The server of /etc/swift/object-server.conf sends its statistics to 10.0.0.9:8125, which stays so',
    )
    expect(stdout).toContain(
      '[app:container-server] of /etc/swift/container-server.conf has a log_statsd_host of its own',
    )
    expect(stdout).toContain('/etc/swift/container-server.conf has log_statsd_metric_prefix = rack1')
    expect(read('/etc/swift/object-server.conf')).toBe('[DEFAULT]\nlog_statsd_host = 10.0.0.9\n')
    expect(read('/etc/swift/container-server.conf')).toContain('log_statsd_host = 127.0.0.1\n')
  })

  it.skipIf(!hasDebianFiles || !hasSwift)('prepares the files of Debian, and Swift reads what it set', () => {
    for (const kind of kinds) cpSync(examples(kind), join(root, `etc/swift/${kind}-server.conf`))
    write('/etc/swift/object-server/1.conf.d/10.conf', readFileSync(examples('object'), 'utf8'))
    cpSync(expirerExample, join(root, 'etc/swift/object-expirer.conf'))
    write('/etc/swift/object-expirer/1.conf.d/10.conf', readFileSync(expirerExample, 'utf8'))
    const before = tree()
    expect(storage('prepare', '--yes').status).toBe(0)
    const files = [
      ...kinds.map((kind) => [`${kind}-auditor`, `${kind}-server.conf`]),
      ['object-auditor', 'object-server/1.conf.d'],
      ['object-expirer', 'object-expirer.conf'],
      ['object-expirer', 'object-expirer/1.conf.d'],
    ] as const
    const args = files.flatMap(([daemon = '', path = '']) => [daemon, join(root, 'etc/swift', path)])
    const run = (script: string, ...more: readonly string[]) =>
      spawnSync(python, ['-c', script, ...more]).stdout.toString()
    expect(run(load, ...args)).toBe('127.0.0.1 8126\n'.repeat(files.length))
    expect(run(loadFilter, join(root, 'etc/swift/object-expirer.conf'))).toBe('None\n')
    expect(storage('leave', '--yes').status).toBe(0)
    expect(tree()).toEqual(before)
  })

  it.each([
    ['no storage server', () => write('/etc/swift/swift.conf', ''), /\/etc\/swift has no configuration of account/],
    [
      'no receiver of statistics',
      () => write('/agent/config.json', '{ "statsd": {"enabled": false} }'),
      /statsd\.enabled = false/,
    ],
  ])('is refused in a sentence where there is %s', (_what, make, reason) => {
    make()
    expect(storage('prepare', '--yes')).toMatchObject({ status: 1, stderr: expect.stringMatching(reason) })
    expect(existsSync(join(root, 'agent/prepared'))).toBe(false)
  })
})

describe('roost-agent storage leave', () => {
  beforeEach(() => {
    write('/etc/swift/object-server.conf', plain)
    storage('prepare', '--yes')
  })

  it('keeps what was edited since', () => {
    write('/etc/swift/object-server.conf', read('/etc/swift/object-server.conf').replace('6200', '6300'))
    const { stdout } = storage('leave', '--yes')
    expect(stdout).toContain(
      'Removes from /etc/swift/object-server.conf what Roost added, and keeps what was edited since.',
    )
    expect(read('/etc/swift/object-server.conf')).toBe(plain.replace('6200', '6300'))
  })

  it('is refused where the same lines were edited, and changes nothing', () => {
    write('/etc/swift/object-server.conf', '[DEFAULT]\nlog_statsd_host = 10.0.0.9\n')
    const before = tree()
    expect(storage('leave', '--yes')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('/etc/swift/object-server.conf was edited where Roost had changed it'),
    })
    expect(tree()).toEqual(before)
  })
})
