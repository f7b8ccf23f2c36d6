import type { IncomingMessage } from 'node:http'
import { normalizeAddress } from '@roost/api-types/rest'
import { isWithin } from '../config/networks.js'
import type { Proxies } from '../config/proxies.js'

/** Returns the peer's address. Behind a proxy it is the last entry of X-Forwarded-For, which the proxy added: all others can be forged. */
export function peerAddress(request: IncomingMessage, proxies: Proxies): string {
  const forwarded = isWithin(proxies, request.socket.remoteAddress) ? request.headers['x-forwarded-for'] : undefined
  const last = String(forwarded ?? '')
    .split(',')
    .at(-1)
    ?.trim()
  const address = last || (request.socket.remoteAddress ?? '')
  return normalizeAddress(address) ?? address
}
