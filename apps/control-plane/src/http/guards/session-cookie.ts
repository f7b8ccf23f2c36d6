import type { FastifyReply, FastifyRequest } from 'fastify'

/** The prefix has browsers accept it from this host alone, over TLS or loopback, and for all of its paths. */
export const sessionCookie = '__Host-roost'
const attributes = 'Path=/; HttpOnly; Secure; SameSite=Strict'
const pattern = new RegExp(`(?:^|; *)${sessionCookie}=([^;]*)`)

/** Returns the `name:secret` of the cookie; undefined where there is none. */
export function readSessionCookie({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const value = pattern.exec(headers.cookie ?? '')?.[1]
  return value === undefined ? undefined : Buffer.from(value, 'base64url').toString('utf8')
}

/** Has the browser keep `name:secret` for that long. */
export function setSessionCookie(reply: FastifyReply, credentials: string, seconds: number): void {
  const value = Buffer.from(credentials, 'utf8').toString('base64url')
  void reply.header('set-cookie', `${sessionCookie}=${value}; Max-Age=${seconds}; ${attributes}`)
}

export function clearSessionCookie(reply: FastifyReply): void {
  void reply.header('set-cookie', `${sessionCookie}=; Max-Age=0; ${attributes}`)
}

/**
 * Returns true if a page of this server sent the request, or a person who entered its address. A browser adds the cookie
 * whichever page asks; `SameSite` alone lets pages of other ports of this host pass.
 */
export function isFromOwnPage(request: FastifyRequest, isOwnOrigin: (origin: string) => boolean): boolean {
  const { headers, method } = request
  const isRead = method === 'GET' || method === 'HEAD'
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || (site === 'none' && isRead)
  return headers.origin === undefined ? isRead : isOwnOrigin(headers.origin)
}
