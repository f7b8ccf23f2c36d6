import { expect, it } from 'vitest'
import { checkToken, tokenInput } from './token-values.js'
import type { TokenValues } from './token-values.js'

const values: TokenValues = { uses: '3', seconds: '3600', gateway: false, proxy: false, prepare: true, storage: false }

it('asks for the roles that were chosen, and prepares them only', () => {
  expect(tokenInput(1, values)).toEqual({ cluster: 1, uses: 3, ttl_seconds: 3600 })
  expect(tokenInput(1, { ...values, gateway: true })).toEqual({
    cluster: 1,
    uses: 3,
    ttl_seconds: 3600,
    roles: ['runs_gateway'],
    prepare: true,
  })
})

it('prepares storage servers without a role, and beside one that is not prepared', () => {
  const storage = { cluster: 1, uses: 3, ttl_seconds: 3600, prepare_storage: true }
  expect(tokenInput(1, { ...values, storage: true })).toEqual(storage)
  expect(tokenInput(1, { ...values, storage: true, proxy: true, prepare: false })).toEqual({
    ...storage,
    roles: ['runs_proxy'],
    prepare: false,
  })
})

it.each(['', '0', '1001', '1.5', '-1', 'all'])('refuses %j nodes', (uses) => {
  expect(checkToken({ ...values, uses })).toEqual({ uses: [expect.any(String)] })
})

it.each(['1', '1000', ' 7 '])('accepts %j nodes', (uses) => {
  expect(checkToken({ ...values, uses })).toEqual({})
})
