import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { peerAddress } from './peer-address.js'

function requestFrom(remoteAddress: string, forwarded?: string): IncomingMessage {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress })
  const request = new IncomingMessage(socket)
  if (forwarded !== undefined) request.headers['x-forwarded-for'] = forwarded
  return request
}

const proxies = [{ network: '10.0.0.1', prefix: 32 }]

describe('the address of an agent', () => {
  it('is that of its connection, IPv4 also on an IPv6 socket', () => {
    expect(peerAddress(requestFrom('::ffff:10.0.0.1', '10.0.0.9'), [])).toBe('10.0.0.1')
    expect(peerAddress(requestFrom('fe80::1%eth0'), [])).toBe('fe80::1%eth0')
  })

  it('is that of its connection where it is not a proxy', () => {
    expect(peerAddress(requestFrom('10.0.0.2', '10.0.0.9'), proxies)).toBe('10.0.0.2')
  })

  it('is the last that the proxy reports', () => {
    expect(peerAddress(requestFrom('10.0.0.1', '192.0.2.1, 10.0.0.9, ::ffff:10.0.0.7'), proxies)).toBe('10.0.0.7')
    expect(peerAddress(requestFrom('10.0.0.1', 'unknown'), proxies)).toBe('unknown')
    expect(peerAddress(requestFrom('10.0.0.1'), proxies)).toBe('10.0.0.1')
  })
})
