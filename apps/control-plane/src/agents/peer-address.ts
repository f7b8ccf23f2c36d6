import type { IncomingMessage } from 'node:http'

/** Who is on the other side. Behind a proxy it is the last one that the proxy names: what stands before, anybody can write. */
export function peerAddress(request: IncomingMessage, behindProxy: boolean): string {
  const forwarded = behindProxy ? request.headers['x-forwarded-for'] : undefined
  const last = String(forwarded ?? '')
    .split(',')
    .at(-1)
    ?.trim()
  return last || (request.socket.remoteAddress ?? '')
}
