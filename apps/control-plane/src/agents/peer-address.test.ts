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

describe('the address of an agent', () => {
  it('is that of its connection, IPv4 also on an IPv6 socket', () => {
    expect(peerAddress(requestFrom('::ffff:10.0.0.1', '10.0.0.9'), false)).toBe('10.0.0.1')
    expect(peerAddress(requestFrom('fe80::1%eth0'), false)).toBe('fe80::1%eth0')
  })

  it('is the last that the proxy reports', () => {
    expect(peerAddress(requestFrom('10.0.0.1', '192.0.2.1, 10.0.0.9, ::ffff:10.0.0.7'), true)).toBe('10.0.0.7')
    expect(peerAddress(requestFrom('10.0.0.1', 'unknown'), true)).toBe('unknown')
    expect(peerAddress(requestFrom('10.0.0.1'), true)).toBe('10.0.0.1')
  })
})
