import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isInSubnet, isIpv4, isLinkLocal, networkAddress, normalizeAddress, prefixOfNetmask } from './ip-address.js'

describe('an IPv4 address', () => {
  it('is four decimal octets', () => {
    fc.assert(fc.property(fc.ipV4(), (address) => isIpv4(address) && normalizeAddress(address) === address))
  })

  it.each(['010.0.0.1', '10.0.0.01', '10.1', '167772161', '0x0a.0.0.1', '0xa000001', '10.0.0.256', '10.0.0.1.'])(
    'is not %s, which some programs read as one',
    (text) => {
      expect(isIpv4(text)).toBe(false)
      expect(normalizeAddress(text)).toBeUndefined()
    },
  )

  it.each([' 10.0.0.1', '10.0.0.1\n', '10.0.0.1/32', '10.0.0.1:80', '', 'host'])('is not %j', (text) => {
    expect(isIpv4(text)).toBe(false)
    expect(normalizeAddress(text)).toBeUndefined()
  })
})

describe('an IPv6 address', () => {
  it.each(['::ffff:10.0.0.1', '::FFFF:10.0.0.1', '::ffff:a00:1', '0:0:0:0:0:ffff:10.0.0.1', '::ffff:10.0.0.1%eth0'])(
    'is returned as IPv4 when it is IPv4-mapped: %s',
    (text) => {
      expect(normalizeAddress(text)).toBe('10.0.0.1')
    },
  )

  it.each(['::10.0.0.1', '::ffff:010.0.0.1', '::ffff:300.0.0.1', '::ffff:10.1', '::ffff:0x0a.0.0.1'])(
    'is not %s',
    (text) => {
      expect(normalizeAddress(text)).toBeUndefined()
    },
  )

  it('has one spelling, and keeps its zone', () => {
    expect(normalizeAddress('2001:DB8:0:0:0:0:0:1')).toBe('2001:db8::1')
    expect(normalizeAddress('fe80::1%eth0')).toBe('fe80::1%eth0')
  })
})

it('is link-local by its range, however it is written', () => {
  expect(['169.254.1.2', 'fe80::1', 'FEBF::1%eth0', '::ffff:169.254.1.2'].filter(isLinkLocal)).toHaveLength(4)
  expect(['169.255.1.2', 'fec0::1', 'fe8::1', 'fe80', ''].filter(isLinkLocal)).toEqual([])
})

describe('a subnet', () => {
  it('includes what has its bits', () => {
    expect(isInSubnet('10.1.2.3', '10.0.0.0', 8)).toBe(true)
    expect(isInSubnet('11.1.2.3', '10.0.0.0', 8)).toBe(false)
    expect(isInSubnet('10.0.0.1', '10.0.0.1', 32)).toBe(true)
    expect(isInSubnet('203.0.113.1', '0.0.0.0', 0)).toBe(true)
    expect(isInSubnet('::ffff:10.1.2.3', '10.0.0.0', 8)).toBe(true)
    expect(isInSubnet('2001:db8::1', '2001:db8::', 32)).toBe(true)
    expect(isInSubnet('2001:db8::1', '0.0.0.0', 0)).toBe(false)
    expect(isInSubnet('010.0.0.1', '10.0.0.0', 8)).toBe(false)
    expect(isInSubnet('host', '0.0.0.0', 0)).toBe(false)
  })

  it('begins with an address that it includes', () => {
    const prefixes = fc.integer({ min: 0, max: 32 })
    fc.assert(
      fc.property(fc.ipV4(), prefixes, (address, prefix) => {
        const network = networkAddress(address, prefix)
        expect(isInSubnet(address, network, prefix)).toBe(true)
        expect(networkAddress(network, prefix)).toBe(network)
      }),
    )
    expect(networkAddress('10.1.2.3', 12)).toBe('10.0.0.0')
    expect(networkAddress('2001:db8:1:2:3:4:5:6', 64)).toBe('2001:db8:1:2::')
    expect(networkAddress('fe80::1%eth0', 64)).toBe('fe80::')
  })

  it('has a netmask whose ones are contiguous', () => {
    expect(['0.0.0.0', '255.0.0.0', '255.255.240.0', '255.255.255.255'].map(prefixOfNetmask)).toEqual([0, 8, 20, 32])
    expect(['255.0.255.0', '0.255.0.0', '255.255.255.1', '255.0.0.00', ''].map(prefixOfNetmask)).toEqual(
      Array(5).fill(undefined),
    )
  })
})
