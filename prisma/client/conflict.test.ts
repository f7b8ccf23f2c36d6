import { expect, it } from 'vitest'
import { isConflict } from './conflict.js'

const inQuery = (cause: object) => ({ code: 'P2010', meta: { driverAdapterError: { cause } } })

it.each([
  ['a deadlock of a raw query', inQuery({ originalCode: '40P01', kind: 'postgres' })],
  ['a failed serialization', { code: '40001' }],
  ['a lock that was not granted in time', { cause: { code: '55P03' } }],
  ['a write conflict as Prisma reports it', { code: 'P2034' }],
  ['a write conflict as its adapter reports it', inQuery({ kind: 'TransactionWriteConflict' })],
])('%s is a conflict', (_case, error) => {
  expect(isConflict(error)).toBe(true)
})

it.each([
  ['a constraint', { code: '23505' }],
  ['an exception of a trigger', inQuery({ originalCode: 'P0001', kind: 'postgres' })],
  ['an error of our own code', new TypeError('x is undefined')],
])('%s is none', (_case, error) => {
  expect(isConflict(error)).toBe(false)
})
