import { expect, it } from 'vitest'
import { addressChange, checkAddresses } from './address-values.js'

const before = {
  cluster_facing_ip: '10.0.0.1',
  outward_facing_ip: '',
  replication_facing_ip: '10.1.0.1',
  other_ips: '10.2.0.1, 10.3.0.1',
}

it('sends the addresses that were changed, and no others', () => {
  expect(addressChange(before, before)).toEqual({})
  expect(addressChange(before, { ...before, outward_facing_ip: ' 192.0.2.1 ' })).toEqual({
    outward_facing_ip: '192.0.2.1',
  })
  expect(addressChange(before, { ...before, replication_facing_ip: '' })).toEqual({ replication_facing_ip: null })
  expect(addressChange(before, { ...before, other_ips: '10.2.0.1 2001:db8::7' })).toEqual({
    other_ips: ['10.2.0.1', '2001:db8::7'],
  })
})

it('has the rules of the API at each field', () => {
  expect(checkAddresses(before, { ...before, cluster_facing_ip: '10.0.0.2' })).toEqual({})
  expect(Object.keys(checkAddresses(before, { ...before, cluster_facing_ip: 'st-01', other_ips: '10.2' }))).toEqual([
    'cluster_facing_ip',
    'other_ips',
  ])
})
