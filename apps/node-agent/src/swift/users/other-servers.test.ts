import { describe, expect, it } from 'vitest'
import { openMachine } from '../../machine/machine.js'
import { findLocation } from './location.js'
import { findOtherServer } from './other-servers.js'
import { useWrittenRoot } from '../../inventory/testing/written-root.js'

const root = useWrittenRoot()
const { write } = root
function runs(pid: number, name: string, ...args: readonly string[]): void {
  write(`proc/${pid}/comm`, `${name}\n`)
  write(`proc/${pid}/cmdline`, `${args.join('\0')}\0`)
}
function found() {
  const machine = openMachine(root.path)
  return findOtherServer(machine, machine)
}

describe('a proxy in another server', () => {
  it('is found under uWSGI', () => {
    runs(7, 'uwsgi-core', '/usr/bin/uwsgi', '--ini', '/etc/swift/swift-proxy-server-uwsgi.ini')
    expect(found()).toBe('uWSGI')
  })

  it('is found under Apache', () => {
    runs(7, 'apache2', '/usr/sbin/apache2', '-k', 'start')
    write('etc/apache2/sites-enabled/swift.conf', '  WSGIScriptAlias / /var/www/swift/proxy-server.wsgi\n')
    expect(found()).toBe('Apache')
  })

  it('is not another application of theirs, nor a server of objects', () => {
    runs(7, 'apache2', '/usr/sbin/apache2')
    runs(8, 'uwsgi', 'uwsgi', '--ini', '/etc/keystone/keystone-uwsgi.ini')
    runs(9, 'uwsgi', 'uwsgi', '--ini', '/etc/swift/swift-container-server-uwsgi.ini')
    write('etc/apache2/sites-enabled/keystone.conf', 'WSGIScriptAlias / /usr/bin/keystone-wsgi-public\n')
    write('etc/apache2/sites-enabled/front.conf', 'ProxyPass / http://127.0.0.1:8080/ # proxy-server\n')
    expect(found()).toBeNull()
  })

  it('is the reason why users cannot be deployed', () => {
    runs(7, 'uwsgi', 'uwsgi', '--wsgi-file', '/usr/bin/swift-proxy-server-uwsgi')
    write('etc/swift/proxy-server.conf', '[pipeline:main]\npipeline = a\n[filter:a]\nuse = egg:swift#tempauth\n')
    const machine = openMachine(root.path)
    expect(() => findLocation(machine, machine, '/etc/swift')).toThrow(
      /runs under uWSGI, which the agent cannot reload, .* Run it as swift-proxy-server/,
    )
  })
})
