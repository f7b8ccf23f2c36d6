import { describe, expect, it } from 'vitest'
import { isUnavailable } from './unavailable.js'

describe('isUnavailable', () => {
  it.each([
    ['Prisma cannot reach the server', { code: 'P1001' }],
    [
      'a raw query finds no server',
      { code: 'P2010', meta: { driverAdapterError: { cause: { kind: 'DatabaseNotReachable' } } } },
    ],
    ['the server shuts down', { code: 'P2039', meta: { driverAdapterError: { cause: { code: '57P01' } } } }],
    ['the server starts', { cause: { code: '57P03' } }],
    ['the disk of the server is full', { code: '53100' }],
    ['the socket breaks', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })],
    ['the driver loses its connection', new Error('Connection terminated unexpectedly')],
    ['no connection is free in time', new Error('timeout exceeded when trying to connect')],
  ])('is true when %s', (_case, error) => {
    expect(isUnavailable(error)).toBe(true)
  })

  it.each([
    ['a name is taken', { code: 'P2002' }],
    ['a row is not there', { code: 'P2025' }],
    ['the SQL is wrong', { code: 'P2010', meta: { driverAdapterError: { cause: { code: '42601' } } } }],
    ['our own code throws', new TypeError('x is undefined')],
    ['nothing is thrown', undefined],
  ])('is false when %s', (_case, error) => {
    expect(isUnavailable(error)).toBe(false)
  })
})
