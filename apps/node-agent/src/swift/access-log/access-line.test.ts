import { describe, expect, it } from 'vitest'
import { accessLineParser } from './access-line.js'

const parseAccessLine = accessLineParser()

const time = Date.UTC(2026, 10, 20, 10, 32, 14) / 1_000

function line({
  client = '127.0.0.1',
  path = '/v1/AUTH_test/archive/f12',
  method = 'PUT',
  status = '201',
  bytes = '564481 3',
  source = '-',
  prefix = '<134>proxy-access: ',
} = {}): string {
  return `${prefix}${client} 127.0.0.1 20/Nov/2026/10/32/14 ${method} ${path} HTTP/1.0 ${status} - curl/7.88.1 AUTH_tk9fb3... ${bytes} - txd6ee8a7317024fc3a2c98-006b0021ae - 0.0169 ${source} - 1795170734.131294012 1795170734.148233175 1`
}

describe('a line of the proxy’s access log', () => {
  it.each([
    ['a datagram', '<134>proxy-access: '],
    ['a file of rsyslog', 'Nov 20 10:32:14 proxy1 proxy-server: '],
    ['a file with long times', '2026-11-20T10:32:14.148233+00:00 proxy1 proxy-server[811]: '],
  ])('has account, bytes and time, in %s', (_where, prefix) => {
    expect(parseAccessLine(line({ prefix }))).toEqual({
      time,
      request: { account: 'AUTH_test', bytesIn: 564_481, bytesOut: 3 },
    })
  })

  it('reads a dash as no bytes', () => {
    expect(parseAccessLine(line({ bytes: '- -' }))?.request).toMatchObject({ bytesIn: 0, bytesOut: 0 })
  })

  it.each(['CS', 'SLO', 'RL', 'TU'])('is not counted for requests of Swift itself (%s)', (source) => {
    expect(parseAccessLine(line({ source }))).toEqual({ time, request: null })
  })

  it.each(['401', '403'])('is not counted for a refused request (%s)', (status) => {
    expect(parseAccessLine(line({ status }))).toEqual({ time, request: null })
  })

  it.each(['/auth/v1.0', '/info', '/healthcheck', '/v1', '/v1/', '/', '/bucket/key'])(
    'is not counted without an account (%s)',
    (path) => {
      expect(parseAccessLine(line({ path }))).toEqual({ time, request: null })
    },
  )

  it.each([
    ['/v1/AUTH_test', 'AUTH_test'],
    ['/v1/AUTH_test%3Fformat%3Djson', 'AUTH_test'],
    ['/v1.0/AUTH_test/c', 'AUTH_test'],
    ['/v1/.expiring_objects/1795170734', '.expiring_objects'],
    ['/v1/AUTH_a%2520b/c/o%2525', 'AUTH_a b'],
    ['/v1/AUTH_%25C3%25A4/c', 'AUTH_ä'],
  ])('finds the account in %s', (path, account) => {
    expect(parseAccessLine(line({ path }))?.request?.account).toBe(account)
  })

  it('is not misled by the texts of a client', () => {
    const client = '20/Nov/2020/10/32/14'
    expect(parseAccessLine(line({ client }))?.time).toBe(time)
    const forged = '20/Nov/2020/10/32/14%20GET%20/v1/AUTH_victim%20HTTP/1.0%20200'
    expect(parseAccessLine(line({ client: forged }))?.request?.account).toBe('AUTH_test')
  })

  it.each([
    '',
    'Nov 20 10:32:14 proxy1 proxy-server: Started child 12',
    line().slice(0, 80),
    line().replace('Nov/', 'Nuv/'),
  ])('is not parsed: %j', (text) => {
    expect(parseAccessLine(text)).toBeUndefined()
  })
})
