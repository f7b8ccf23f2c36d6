import { describe, expect, it } from 'vitest'
import { readProxySettings } from './proxy-settings.js'

const base = `
[DEFAULT]
bind_ip = 10.0.0.1
bind_port = 8080
[pipeline:main]
pipeline = catch_errors cache tempauth proxy-server
[filter:cache]
use = egg:swift#memcache
memcache_servers = 10.0.0.1:11211, 10.0.0.2:11212 ,[fd00::1]:11213,cache.example
[filter:tempauth]
use = egg:swift#tempauth
user_admin_Admin = key .admin .reseller_admin
user64_YV9i_YV9i = key
`

describe('the settings of a proxy', () => {
  it('have the users, the address and the tokens', () => {
    expect(readProxySettings([base], '')).toEqual({
      section: 'filter:tempauth',
      operatorUsers: [
        { line: 'user_admin_Admin', login: 'admin:Admin', key: 'key', groups: ['.admin', '.reseller_admin'] },
        { line: 'user64_YV9i_YV9i', login: 'a_b:a_b', key: 'key', groups: [] },
      ],
      prefix: 'AUTH_',
      authPath: '/auth/',
      address: { host: '10.0.0.1', port: 8080 },
      isTls: false,
      memcached: [
        { host: '10.0.0.1', port: 11211 },
        { host: '10.0.0.2', port: 11212 },
        { host: 'fd00::1', port: 11213 },
        { host: 'cache.example', port: 11211 },
      ],
      hasWorkers: true,
      account: 'swift',
    })
  })

  it('find tempauth under any name, in several files', () => {
    const more =
      '[pipeline:main]\npipeline = cache auth proxy-server\n[filter:auth]\npaste.filter_factory = swift.common.middleware.tempauth:filter_factory\n'
    expect(readProxySettings([base, more], '').section).toBe('filter:auth')
  })

  it.each([
    ['reseller_prefix = KEY', 'KEY_'],
    ['reseller_prefix = AUTH, SERVICE', 'AUTH_'],
    ["reseller_prefix = ''", ''],
    ['reseller_prefix = ACC_', 'ACC_'],
  ])('read %s as tempauth does', (line, prefix) => {
    expect(readProxySettings([`${base}${line}\n`], '').prefix).toBe(prefix)
  })

  it('have the loopback address when the proxy listens on any address', () => {
    const more =
      '[DEFAULT]\nbind_ip = 0.0.0.0\ncert_file = /etc/swift/cert.pem\n[filter:tempauth]\nauth_prefix = login\n'
    expect(readProxySettings([base, more], '')).toMatchObject({
      address: { host: '127.0.0.1', port: 8080 },
      isTls: true,
      authPath: '/login/',
    })
  })

  it('have the memcached servers of memcache.conf, or this machine, when the filter has none', () => {
    const none = base.replace(/memcache_servers.*\n/, '')
    expect(readProxySettings([none], '[memcache]\nmemcache_servers = 10.0.0.9:1\n').memcached).toEqual([
      { host: '10.0.0.9', port: 1 },
    ])
    expect(readProxySettings([none], '').memcached).toEqual([{ host: '127.0.0.1', port: 11211 }])
  })

  it.each([
    [
      'Keystone',
      base
        .replace('cache tempauth', 'cache authtoken keystoneauth')
        .concat('[filter:keystoneauth]\nuse = egg:swift#keystoneauth\n'),
      'Users are deployed to tempauth only.',
    ],
    [
      'Keystone by its token filter alone',
      base
        .replace('cache tempauth', 'cache authtoken')
        .concat('[filter:authtoken]\npaste.filter_factory = keystonemiddleware.auth_token:filter_factory\n'),
      'Users are deployed to tempauth only',
    ],
    ['another authentication', base.replace('cache tempauth', 'cache other'), 'has no tempauth'],
    ['no pipeline', '[DEFAULT]\n', 'has no pipeline'],
    ['memcached over TLS', `${base}[filter:cache]\ntls_enabled = true\n`, 'require TLS'],
  ])('refuse %s with a sentence', (_, text, message) => {
    expect(() => readProxySettings([text], '')).toThrow(message)
  })
})
