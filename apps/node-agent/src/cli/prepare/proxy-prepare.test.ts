import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openMachine } from '../../machine/machine.js'
import { logFormatOf } from '../../swift/access-log/log-format.js'
import { readProxyLogging } from '../../swift/access-log/proxy-logging.js'
import { treeOf } from './testing/tree.js'

const program = fileURLToPath(new URL('../../../bin/roost-agent.js', import.meta.url))
const folder = '/etc/swift/proxy-server.conf.d'
/** Containers of some continuous integrations may not mount. */
const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0
const configuration = (more = '', pipeline = 'catch_errors proxy-logging tempauth proxy-server') => `[DEFAULT]
bind_port = 8080
${more}
[pipeline:main]
pipeline = ${pipeline}

[app:proxy-server]
use = egg:swift#proxy

[filter:proxy-logging]
use = egg:swift#proxy_logging
access_log_name = swift-proxy-access

[filter:s3api]
use = egg:swift#s3api

[filter:tempauth]
use = egg:swift#tempauth
`
const unit = '[Service]\nUser=swift\nExecStart=/usr/bin/swift-proxy-server /etc/swift/proxy-server.conf\n'

let root: string
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
const read = (path: string) => readFileSync(join(root, path), 'utf8')

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'roost-proxy-'))
  const [uid, gid] = [process.getuid?.(), process.getgid?.()]
  write('/etc/passwd', `roost-agent:x:${uid}:${gid}::/:\nswift:x:${uid}:${gid}::/:\n`)
  write('/etc/group', `swift:x:${gid}:\n`)
  write('/etc/swift/proxy-server.conf', configuration())
  write('/usr/lib/systemd/system/swift-proxy.service', unit)
  write('/usr/lib/systemd/system/roost-agent.service', '[Service]\nUser=roost-agent\n')
  write('/usr/sbin/rsyslogd', '')
  write('/etc/rsyslog.d/swift.conf', '')
  write('/proc/sys/net/ipv4/tcp_migrate_req', '0\n')
  write('/agent/config.json', '{ "statsd": {"port": 8126},\n  "policies": ["gold"] }\n')
  chmodSync(join(root, '/agent/config.json'), 0o640)
})
afterEach(() => rmSync(root, { recursive: true }))

function proxy(...args: readonly string[]) {
  const where = ['--root', root, '--data-dir', join(root, 'agent')]
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...where, 'proxy', ...args], {
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

const tree = () => treeOf(root)

const faults = () => logFormatOf(readProxyLogging(openMachine(root), openMachine(root), '/etc/swift')).faults

describe('roost-agent proxy prepare', () => {
  it('prints every change as a diff and what has to be restarted, and changes nothing without --yes', () => {
    const before = tree()
    const { status, stdout } = proxy('prepare')
    expect(status).toBe(0)
    expect(stdout).toContain(`--- a${folder}/40-roost-proxy.conf\n+++ b${folder}/40-roost-proxy.conf\n`)
    expect(stdout).toContain('+ExecStart=/usr/bin/swift-proxy-server /etc/swift/proxy-server.conf.d\n')
    expect(stdout).toContain('+SupplementaryGroups=swift\n')
    expect(stdout).toContain('+:programname, isequal, "proxy-access" -/var/log/swift/proxy-access.log\n')
    expect(stdout).toContain('Sets net.ipv4.tcp_migrate_req = 1 in the running kernel.\n')
    expect(stdout).toContain('The proxy has to be restarted once. A restart loses the requests that are under way')
    expect(stdout).toMatch(/No changes were made\. Run this command again with --yes to apply them\.\n$/)
    expect(tree()).toEqual(before)
  })

  it('makes them, finds nothing to do afterwards, and leave reverts each to the byte, mode and owner', () => {
    const before = tree()
    expect(proxy('prepare', '--yes')).toMatchObject({ status: 0, stdout: expect.stringMatching(/Done\.\n$/) })
    expect(readlinkSync(join(root, folder, '10-proxy-server.conf'))).toBe('../proxy-server.conf')
    expect(lstatSync(join(root, folder)).mode & 0o7777).toBe(0o2750)
    expect(read(`${folder}/40-roost-proxy.conf`)).toContain('log_statsd_host = 127.0.0.1\nlog_statsd_port = 8126\n')
    expect(read('/proc/sys/net/ipv4/tcp_migrate_req')).toBe('1\n')
    expect(JSON.parse(read('/agent/config.json'))).toEqual({
      statsd: { port: 8126 },
      policies: ['gold'],
      usage: { access_log: '/var/log/swift/proxy-access.log' },
    })
    expect(read('/etc/logrotate.d/roost-proxy-access')).toContain('/var/log/swift/proxy-access.log {')
    expect(proxy('prepare', '--yes').stdout).toBe('This proxy is prepared. There is nothing to do.\n')
    expect(proxy('leave').stdout).toMatch(/No changes were made\. .*\n$/)
    expect(proxy('leave', '--yes')).toMatchObject({ status: 0, stdout: expect.stringMatching(/Done\.\n$/) })
    expect(tree()).toEqual(before)
    expect(proxy('leave', '--yes').stdout).toContain('There is nothing to undo.')
  })

  it('is done by hand already, as docs/proxies.md had it: the files of the operator stay', () => {
    write(`${folder}/10-proxy-server.conf`, configuration('log_statsd_host = 127.0.0.1\nlog_statsd_port = 8126'))
    chmodSync(join(root, folder), 0o2750)
    const command = 'ExecStart=\nExecStart=/usr/bin/swift-proxy-server /etc/swift/proxy-server.conf.d\n'
    write('/etc/systemd/system/swift-proxy.service.d/roost.conf', `[Service]\n${command}`)
    const rights = '[Service]\nSupplementaryGroups=swift\nAmbientCapabilities=CAP_DAC_READ_SEARCH CAP_KILL\n'
    write('/etc/systemd/system/roost-agent.service.d/proxy.conf', rights)
    write('/etc/sysctl.d/60-swift-proxy.conf', 'net.ipv4.tcp_migrate_req = 1\n')
    write('/proc/sys/net/ipv4/tcp_migrate_req', '1\n')
    write('/agent/config.json', '{"statsd": {"port": 8126}, "usage": {"access_log": "/var/log/swift/own.log"}}')
    expect(proxy('prepare').stdout).toBe('This proxy is prepared. There is nothing to do.\n')
  })

  it('sets a template with the account where S3 is served, by the key that counts', () => {
    write('/etc/swift/proxy-server.conf', configuration('access_log_name = x', 'proxy-logging s3api proxy-server'))
    expect(faults()).toHaveLength(1)
    expect(proxy('prepare', '--yes').status).toBe(0)
    expect(faults()).toEqual([])
    expect(read(`${folder}/40-roost-proxy.conf`)).toContain('\nset access_log_name = proxy-access\n')
  })

  it('receives the access log by UDP without rsyslog, and says what that loses', () => {
    rmSync(join(root, '/usr/sbin/rsyslogd'))
    const { stdout } = proxy('prepare', '--yes')
    expect(stdout).toContain('what the proxy sends while the agent is stopped is not counted')
    expect(read(`${folder}/40-roost-proxy.conf`)).toContain(
      'access_log_udp_host = 127.0.0.1\naccess_log_udp_port = 5514\n',
    )
    expect(JSON.parse(read('/agent/config.json'))).toMatchObject({
      usage: { access_log_udp: { address: '127.0.0.1', port: 5514 } },
    })
    expect(existsSync(join(root, '/etc/rsyslog.d/10-swift-access.conf'))).toBe(false)
    expect(proxy('prepare').stdout).toContain('There is nothing to do.\n')
  })

  it('leaves statistics and an access log that the operator sends elsewhere, and says so', () => {
    const elsewhere = 'log_statsd_host = 10.0.0.5\nlog_udp_host = 10.0.0.6'
    write('/etc/swift/proxy-server.conf', configuration(elsewhere))
    const { stdout } = proxy('prepare', '--yes')
    expect(stdout).toContain('The proxy sends its statistics to 10.0.0.5:8125, which stays so')
    expect(stdout).toContain('The proxy sends its access log to 10.0.0.6, which stays so')
    expect(existsSync(join(root, folder, '40-roost-proxy.conf'))).toBe(false)
    expect(proxy('prepare', '--yes', '--access-log', '/var/log/swift/p.log').status).toBe(0)
    expect(JSON.parse(read('/agent/config.json')).usage).toEqual({ access_log: '/var/log/swift/p.log' })
  })

  it('gives a proxy without workers one, because a reload would end it', () => {
    write('/etc/swift/proxy-server.conf', configuration('workers = 0'))
    proxy('prepare', '--yes')
    expect(read(`${folder}/40-roost-proxy.conf`)).toContain('[DEFAULT]\nworkers = 1\n')
  })

  it.skipIf(!canMount)('leaves the kernel to the host in a container that may not change it, and says so', () => {
    const kernel = join(root, '/proc/sys/net/ipv4/tcp_migrate_req')
    const script = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"'
    const command = [program, '--root', root, '--data-dir', join(root, 'agent'), 'proxy', 'prepare', '--yes']
    const { status, stdout } = spawnSync(
      'unshare',
      ['--mount', 'sh', '-ec', script, 'sh', kernel, process.execPath, ...command],
      { encoding: 'utf8' },
    )
    expect([status, stdout]).toEqual([0, expect.stringContaining('Set net.ipv4.tcp_migrate_req = 1 on its host')])
    expect(existsSync(join(root, '/etc/sysctl.d'))).toBe(false)
  })

  it('changes nothing when one change fails', () => {
    rmSync(join(root, '/etc/rsyslog.d'), { recursive: true })
    write('/etc/rsyslog.d', 'a file where the folder should be')
    const before = tree()
    const { status, stderr } = proxy('prepare', '--yes')
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^Nothing was changed: /)])
    expect(tree()).toEqual(before)
    expect(proxy('leave').stdout).toContain('There is nothing to undo.')
  })

  it.each([
    ['no proxy', () => rmSync(join(root, '/etc/swift/proxy-server.conf')), /has no proxy of Swift/],
    ['a proxy under uWSGI', () => underUwsgi(), /runs under uWSGI/],
    ['files that the proxy does not read', () => write(`${folder}/30-x.conf`, ''), /30-x\.conf: move these files away/],
    [
      'no account of Swift',
      () => write('/etc/passwd', 'root:x:0:0::/:\n'),
      /The account swift of the proxy does not exist/,
    ],
  ])('is refused in a sentence where there is %s', (_what, make, reason) => {
    make()
    expect(proxy('prepare', '--yes')).toMatchObject({ status: 1, stderr: expect.stringMatching(reason) })
    expect(existsSync(join(root, 'agent/prepared'))).toBe(false)
  })
})

function underUwsgi(): void {
  write('/proc/7/comm', 'uwsgi\n')
  write('/proc/7/cmdline', 'uwsgi\0--ini\0/etc/swift/swift-proxy-server-uwsgi.ini\0')
}

describe('roost-agent proxy leave', () => {
  beforeEach(() => void proxy('prepare', '--yes'))

  it('keeps what was edited since in a file that Roost had changed', () => {
    write('/agent/config.json', read('/agent/config.json').replace('"gold"', '"gold",\n    "silver"'))
    const { stdout } = proxy('leave', '--yes')
    expect(stdout).toContain('Removes from /agent/config.json what Roost added, and keeps what was edited since.')
    expect(read('/agent/config.json')).toBe('{ "statsd": {"port": 8126},\n  "policies": ["gold",\n    "silver"] }\n')
  })

  it('is refused where the same lines were edited, and changes nothing', () => {
    write('/agent/config.json', '{"usage": {"access_log": "/elsewhere"}}\n')
    const before = tree()
    expect(proxy('leave', '--yes')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('/agent/config.json was edited where Roost had changed it'),
    })
    expect(tree()).toEqual(before)
  })

  it('is refused while users are deployed, ends their logins on request, and never prints a key', () => {
    write(`${folder}/50-roost-users.conf`, '[filter:tempauth]\nuser_bob_bob = a-secret-key .admin\n')
    const { status, stderr } = proxy('leave', '--yes')
    expect([status, stderr]).toEqual([1, expect.stringContaining('1 users of Roost log in to this proxy.')])
    expect(stderr).toContain('--end-users')
    const left = proxy('leave', '--yes', '--end-users')
    expect(left.status).toBe(0)
    expect(left.stdout).not.toContain('a-secret-key')
    expect(existsSync(join(root, folder))).toBe(false)
  })

  it('is refused where the proxy would no longer read a file of the operator', () => {
    write(`${folder}/60-own.conf`, '[DEFAULT]\nworkers = 4\n')
    expect(proxy('leave', '--yes')).toMatchObject({ status: 1, stderr: expect.stringContaining('60-own.conf') })
    expect(existsSync(join(root, folder, '40-roost-proxy.conf'))).toBe(true)
  })
})
