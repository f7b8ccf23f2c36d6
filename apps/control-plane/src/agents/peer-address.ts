import type { IncomingMessage } from 'node:http'
import { normalizeAddress } from '@roost/api-types/rest'

/** Returns the peer's address. Behind a proxy it is the last entry of X-Forwarded-For, which the proxy added: all others can be forged. */
export function peerAddress(request: IncomingMessage, behindProxy: boolean): string {
  const forwarded = behindProxy ? request.headers['x-forwarded-for'] : undefined
  const last = String(forwarded ?? '')
    .split(',')
    .at(-1)
    ?.trim()
  const address = last || (request.socket.remoteAddress ?? '')
  return normalizeAddress(address) ?? address
}
