import { describe, expect, it } from 'vitest'
import { ConfigError } from '@roost/runtime'
import { isLoopback, readConfig } from './config.js'

function faultsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

describe('readConfig', () => {
  it('serves on loopback with its own CA and the embedded database unless the environment says otherwise', () => {
    expect(readConfig({})).toMatchObject({
      listen: { host: '127.0.0.1', port: 8443 },
      tls: { mode: 'auto' },
      databaseUrl: null,
      publicUrl: null,
    })
  })

  it('lists every fault at once', () => {
    const faults = faultsOf({
      ROOST_LISTEN: 'here',
      ROOST_TLS: 'maybe',
      DATABASE_URL: 'mysql://db',
      ROOST_PUBLIC_URL: 'https://a/b',
      ROOST_BEHIND_PROXY: 'yes',
    })
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
      'ROOST_LISTEN',
      'ROOST_PUBLIC_URL',
      'ROOST_TLS',
      'ROOST_BEHIND_PROXY',
      'DATABASE_URL',
    ])
  })

  it('takes an empty variable for one that is not set', () => {
    expect(readConfig({ ROOST_LISTEN: '', DATABASE_URL: '' }).databaseUrl).toBeNull()
  })

  it('names a variable that it does not know', () => {
    expect(faultsOf({ ROOST_LISTN: '0.0.0.0:1' })[0]).toMatch(
      /^Unknown variable ROOST_LISTN\. Did you mean ROOST_LISTEN\? Known variables: /,
    )
    expect(faultsOf({ ROOST_ULR: 'https://x' })[0]).toContain('Did you mean ROOST_URL?')
    expect(faultsOf({ ROOST_SOMETHING: '1' })[0]).toMatch(/^Unknown variable ROOST_SOMETHING\. Known variables: /)
    expect(faultsOf({ ROOST_AGENT_DATA_DIR: '/x', ROOST_TEST_LONG: '1' })).toEqual([])
  })

  it.each([
    ['0.0.0.0:80', { host: '0.0.0.0', port: 80 }],
    ['[::1]:0', { host: '::1', port: 0 }],
    ['roost.example:8443', { host: 'roost.example', port: 8443 }],
  ])('listens on %s', (text, listen) => {
    expect(readConfig({ ROOST_LISTEN: text }).listen).toEqual(listen)
  })

  it.each(['8443', '::1:8443', 'host:', 'host:99999', '[host]:1', ''.padEnd(3, ':')])(
    'refuses to listen on %s',
    (text) => {
      expect(faultsOf({ ROOST_LISTEN: text })).toHaveLength(1)
    },
  )

  it.each([
    ['0', []],
    ['10.0.0.5', [{ network: '10.0.0.5', prefix: 32 }]],
    [
      '10.1.0.0/16, 2001:db8::1',
      [
        { network: '10.1.0.0', prefix: 16 },
        { network: '2001:db8::1', prefix: 128 },
      ],
    ],
  ])('reads the proxies %s', (text, proxies) => {
    expect(readConfig({ ROOST_BEHIND_PROXY: text }).proxies).toEqual(proxies)
  })

  it.each(['2', 'yes', 'proxy.example', '10.0.0.0/33', '10.0.0.5,', '10.0.0.5;10.0.0.6'])(
    'refuses the proxies %s',
    (text) => {
      expect(faultsOf({ ROOST_BEHIND_PROXY: text })).toEqual([expect.stringContaining('10.0.0.5,10.1.0.0/16')])
    },
  )

  it('refuses plain HTTP off loopback unless a proxy terminates TLS', () => {
    expect(faultsOf({ ROOST_TLS: 'off', ROOST_LISTEN: '0.0.0.0:80' })[0]).toContain('ROOST_BEHIND_PROXY')
    expect(faultsOf({ ROOST_TLS: 'off', ROOST_LISTEN: '0.0.0.0:80', ROOST_BEHIND_PROXY: '1' })).toEqual([])
    expect(faultsOf({ ROOST_TLS: 'off', ROOST_LISTEN: 'localhost:80' })).toEqual([])
  })

  it('wants both files of a certificate, and the mode that reads them', () => {
    expect(faultsOf({ ROOST_TLS: 'files', ROOST_TLS_CERT: '/c' })).toHaveLength(1)
    expect(faultsOf({ ROOST_TLS_CERT: '/c' })).toHaveLength(1)
    expect(readConfig({ ROOST_TLS: 'files', ROOST_TLS_CERT: '/c', ROOST_TLS_KEY: '/k' }).tls).toEqual({
      mode: 'files',
      cert: '/c',
      key: '/k',
    })
  })

  it('keeps what it keeps for the documented times, and the answers to repeated requests for a day at least', () => {
    expect(readConfig({})).toMatchObject({
      usageRetentionDays: 397,
      auditRetentionDays: 400,
      jobRetentionDays: 90,
      idempotencyRetentionHours: 24,
    })
    expect(readConfig({ ROOST_AUDIT_RETENTION_DAYS: '3650' }).auditRetentionDays).toBe(3650)
    expect(readConfig({ ROOST_IDEMPOTENCY_RETENTION_HOURS: '48' }).idempotencyRetentionHours).toBe(48)
    const faults = faultsOf({
      ROOST_AUDIT_RETENTION_DAYS: '0',
      ROOST_JOB_RETENTION_DAYS: 'ever',
      ROOST_IDEMPOTENCY_RETENTION_HOURS: '23',
    })
    expect(faults).toHaveLength(3)
  })

  it('never repeats a secret in a fault', () => {
    const faults = faultsOf({ DATABASE_URL: 'mysql://u:S3CR3T@db', ROOST_API_KEY: 'S3CR3T' })
    expect(faults).toHaveLength(2)
    expect(faults.join()).not.toContain('S3CR3T')
  })
})

describe('isLoopback', () => {
  it('knows the addresses that only this machine can reach', () => {
    expect(['127.0.0.1', '127.9.9.9', '::1', 'localhost'].every(isLoopback)).toBe(true)
    expect(
      ['0.0.0.0', '::', '10.0.0.1', '127.evil.example', '127.0.0.999', '127.1', '::ffff:127.0.0.1'].some(isLoopback),
    ).toBe(false)
  })
})
