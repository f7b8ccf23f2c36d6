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
  it('tell who logs in where', () => {
    expect(readProxySettings([base], '')).toEqual({
      section: 'filter:tempauth',
      operatorUsers: [
        { line: 'user_admin_Admin', login: 'admin:Admin' },
        { line: 'user64_YV9i_YV9i', login: 'a_b:a_b' },
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
      account: 'swift',
    })
  })

  it('find tempauth under whatever name, over several files', () => {
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

  it('know where to log in when the proxy is bound to any address', () => {
    const more =
      '[DEFAULT]\nbind_ip = 0.0.0.0\ncert_file = /etc/swift/cert.pem\n[filter:tempauth]\nauth_prefix = login\n'
    expect(readProxySettings([base, more], '')).toMatchObject({
      address: { host: '127.0.0.1', port: 8080 },
      isTls: true,
      authPath: '/login/',
    })
  })

  it('take the memcached servers from memcache.conf, else this machine, where the filter names none', () => {
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
      "Its users are Keystone's, and user deployments do not apply to it.",
    ],
    [
      'Keystone by its token filter alone',
      base
        .replace('cache tempauth', 'cache authtoken')
        .concat('[filter:authtoken]\npaste.filter_factory = keystonemiddleware.auth_token:filter_factory\n'),
      "Its users are Keystone's",
    ],
    ['an authentication that nobody knows', base.replace('cache tempauth', 'cache other'), 'There is no tempauth'],
    ['no pipeline', '[DEFAULT]\n', 'There is no pipeline'],
    ['memcached over TLS', `${base}[filter:cache]\ntls_enabled = true\n`, 'want TLS'],
  ])('refuse %s in words', (_, text, message) => {
    expect(() => readProxySettings([text], '')).toThrow(message)
  })
})
