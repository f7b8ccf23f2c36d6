import { describe, expect, it } from 'vitest'
import { losesAccess, plainAddress, verdictOn } from './allowed-clients.js'

describe('the address of a client', () => {
  it.each([
    '10.0.0.1',
    '10.0.0.1:932',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '::ffff:10.0.0.1%eth0',
    '[::ffff:10.0.0.1]:932',
    'ipv4:10.0.0.1:47204',
    'ipv6:::ffff:10.0.0.1:47204',
  ])('is read from %s', (text) => {
    expect(plainAddress(text)).toBe('10.0.0.1')
  })

  it.each([
    ['2001:db8::10', '2001:db8::10'],
    ['[2001:DB8::10]:932', '2001:db8::10'],
    ['[fe80::1%eth0]:932', 'fe80::1%eth0'],
    ['host.lab.example', 'host.lab.example'],
    ['10.0.0.1.lab.example', '10.0.0.1.lab.example'],
    ['::ffff:010.0.0.1', '::ffff:010.0.0.1'],
  ])('of another kind than IPv4 is kept: %s', (text, expected) => {
    expect(plainAddress(text)).toBe(expected)
  })
})

describe('a list of clients', () => {
  it('allows the addresses in it, and refuses others', () => {
    const clients = ['10.0.0.0/8', '192.0.2.7']
    expect(['10.1.2.3', '192.0.2.7'].map((address) => verdictOn(address, clients))).toEqual(['allowed', 'allowed'])
    const others = ['11.0.0.1', '192.0.2.70', '010.0.0.1', '2001:db8::1', '::10.0.0.1', 'host']
    expect(others.map((address) => verdictOn(address, clients))).toEqual(Array(6).fill('refused'))
  })

  it('with names leaves other addresses undecided', () => {
    expect(verdictOn('11.0.0.1', ['10.0.0.0/8', '.lab.example'])).toBe('unknown')
  })

  it('takes access from an address that the next list lacks', () => {
    expect(losesAccess('10.0.0.1', ['10.0.0.0/8'], ['10.0.0.2'])).toBe(true)
    expect(losesAccess('10.0.0.1', ['10.0.0.0/8'], ['10.0.0.0/24'])).toBe(false)
    expect(losesAccess('11.0.0.1', ['10.0.0.0/8'], ['10.0.0.2'])).toBe(false)
  })
})
