import { describe, expect, it } from 'vitest'
import { accessLineParser } from './access-line.js'
import { compileTemplate, swiftTemplate } from './template.js'

const time = Date.UTC(2026, 10, 20, 10, 30, 27) / 1_000
const start =
  'Nov 20 10:30:27 proxy1 proxy-access: 10.0.0.9 10.0.0.9 20/Nov/2026/10/30/27 PUT /photos/a%3Fpart%3D1 HTTP/1.1 200 - Boto3 - 10 20 - tx1 - 0.1 '
const s3 = (end: string) => `${start}- - 1795170626.580984592 1795170627.665541172 1${end}`
const request = (account: string | null) => ({ time, request: { account, bytesIn: 10, bytesOut: 20 } })

describe('a line with {account} at its end', () => {
  const parse = accessLineParser({ templates: [`${swiftTemplate} {account}`], servesS3: true })

  it('has the account of a request by S3', () => {
    expect(parse(s3(' AUTH_test'))).toEqual(request('AUTH_test'))
    expect(parse(s3(' AUTH_a%20b\n'))).toEqual(request('AUTH_a b'))
  })

  it('is not counted without an account, or for a middleware', () => {
    expect(parse(s3(' -'))).toEqual({ time, request: null })
    expect(parse(`${start}S3 - 1795170626.580984592 1795170627.665541172 1 AUTH_test`)).toEqual({ time, request: null })
  })

  it('is parsed as before where the proxy was not reloaded yet', () => {
    expect(parse(s3(''))).toEqual(request(null))
    expect(parse(s3('').replace('/photos/', '/v1/AUTH_test/'))).toEqual(request('AUTH_test'))
  })
})

describe('a request without an account in its line', () => {
  it('is known as one of S3 where S3 is served', () => {
    expect(accessLineParser({ servesS3: true })(s3(''))).toEqual(request(null))
    expect(accessLineParser()(s3(''))).toEqual({ time, request: null })
  })

  it.each(['/info', '/healthcheck', '/auth/v1.0', '/v1', '/v1/', '/', '/recon/mem', '/%3Fx%3D1'])(
    "is not one of S3 by Swift's own path %s",
    (path) => {
      const line = s3('').replace('/photos/a%3Fpart%3D1', path)
      expect(accessLineParser({ servesS3: true })(line)).toEqual({ time, request: null })
    },
  )
})

describe('a log_msg_template of the operator', () => {
  const parsed = (template: string, line: string) => accessLineParser({ templates: [template] })(line)

  it.each([
    [
      'of other order and time',
      '{account} {bytes_sent} {bytes_recvd} {source} {status_int} {end_time}',
      'p: AUTH_test 20 10 - 200 1795170627.665541172',
    ],
    [
      'with an anonymized path',
      '{end_time.iso8601} {path.anonymized} {account} {status_int} {bytes_recvd} {bytes_sent} {source}',
      'p: 2026-11-20T10:30:27 {MD5}90b1 AUTH_test 200 10 20 -',
    ],
    [
      'of JSON',
      '{{"time": {end_time.s}, "path": "{path}", "in": "{bytes_recvd}", "out": "{bytes_sent}", "status": {status_int}, "source": "{source}"}}',
      '<134>p: {"time": 1795170627, "path": "/v1/AUTH_test/c/o", "in": "10", "out": "20", "status": 200, "source": "-"}',
    ],
    [
      'with formats of Python',
      '{end_time.s}.{end_time.ms} {method!s:>6} {path} {status_int} {bytes_recvd} {bytes_sent} {source} {ttfb:.3f}',
      'p: 1795170627.665 %20%20%20PUT /v1/AUTH_test/c 200 10 20 - 0.100',
    ],
  ])('is parsed as it is written: %s', (_, template, line) => {
    expect(parsed(template, line)).toEqual(request('AUTH_test'))
  })

  it('has no line that continues, so that no value counts as another', () => {
    const template = '{path} {status_int} {bytes_recvd} {bytes_sent} {source} {end_time.s}'
    const line = 'p: /v1/AUTH_test/c 200 10 20 - 1795170627'
    expect(parsed(template, line)).toEqual(request('AUTH_test'))
    expect(parsed(template, `${line} 404 10 20 - 1795170627`)?.request).toBeNull()
  })

  it.each([
    ['{path} {status_int} {bytes_recvd} {bytes_sent} {end_time}', /^it has no \{source\}$/],
    [
      '{method} {source} {status_int}',
      /^it has no \{account\}, no \{end_time\}, no \{bytes_recvd\}, no \{bytes_sent\}$/,
    ],
    ['{path}/{status_int} {bytes_recvd} {bytes_sent} {end_time} {source}', /^no blank follows \{path\}$/],
    ['{path}\n{status_int}', /^it has a tab or a line break$/],
    ['{path} {status_int', /^it is not a valid format of Python$/],
    ['{end_time.H} {path} {status_int} {bytes_recvd} {bytes_sent} {source}', /^it has no \{end_time\}$/],
  ])('is refused with the reason: %s', (template, reason) => {
    expect(() => compileTemplate(template)).toThrow(reason)
  })
})
