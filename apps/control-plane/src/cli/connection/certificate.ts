import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:tls'
import type { DetailedPeerCertificate } from 'node:tls'
import { describeUnreachable } from '../client/target.js'
import { CommandError } from '../terminal/exit-codes.js'

/** The authority at the end of the chain that a server presents. */
export interface PresentedAuthority {
  readonly pem: string
  /** SHA-256 of its public key in hex: what `roost token create` prints, which a renewal does not change. */
  readonly sha256: string
  /** True if this system trusts the server without it. */
  readonly isTrusted: boolean
}

const timeoutMs = 10_000

/** Reads the certificates of a server without trusting them: nothing is sent to it. */
export async function presentedAuthority(url: string): Promise<PresentedAuthority> {
  const { hostname, port } = new URL(url)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const name = /^[\d.]+$|:/.test(host) ? {} : { servername: host }
  const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false, timeout: timeoutMs, ...name })
  try {
    socket.once('timeout', () => socket.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)))
    await Promise.race([once(socket, 'secureConnect'), once(socket, 'close').then(refuseClosed)])
    const { raw } = lastOf(socket.getPeerCertificate(true))
    const authority = new X509Certificate(raw)
    const key = authority.publicKey.export({ type: 'spki', format: 'der' })
    const sha256 = createHash('sha256').update(key).digest('hex')
    return { pem: authority.toString(), sha256, isTrusted: socket.authorized }
  } catch (error) {
    throw new CommandError(describeUnreachable(url, error))
  } finally {
    socket.destroy()
  }
}

function lastOf(certificate: DetailedPeerCertificate): DetailedPeerCertificate {
  const { issuerCertificate: issuer } = certificate
  return issuer === undefined || issuer.fingerprint256 === certificate.fingerprint256 ? certificate : lastOf(issuer)
}

function refuseClosed(): never {
  throw new Error('the connection was closed')
}
