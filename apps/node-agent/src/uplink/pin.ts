import { createHash, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { connectionError, EnrollError } from './enroll-error.js'
import { certificatesOf } from './trust.js'

const deadlineMs = 15_000

/**
 * Returns the certificate of a server whose SHA-256, in lower case, is the expected one: that of its public key (SPKI in
 * DER) or its own. Nothing is sent to the server, and nothing else that it shows is believed; whoever uses the answer as
 * an authority checks chain and name on the next connection.
 */
export async function fetchPinned(server: URL, sha256: string): Promise<string> {
  const shown = await fetchCertificates(server)
  const pinned = shown.find((pem) => digestsOf(pem).includes(sha256))
  if (pinned !== undefined) return pinned
  throw new EnrollError(
    `${server.origin} did not present the expected CA, but one with SHA-256 ${digestsOf(shown.at(-1) as string)[0]}.`,
    'Use the line that `roost token create` printed, unchanged. If you did, somebody may be intercepting the connection to the control plane.',
  )
}

function digestsOf(pem: string): string[] {
  const certificate = new X509Certificate(pem)
  return [certificate.publicKey.export({ type: 'spki', format: 'der' }), certificate.raw].map((bytes) =>
    createHash('sha256').update(bytes).digest('hex'),
  )
}

async function fetchCertificates(server: URL): Promise<string[]> {
  const host = server.hostname.replace(/^\[(.*)\]$/, '$1')
  let socket: TLSSocket | undefined
  try {
    return await new Promise((resolve, reject) => {
      socket = connect({
        host,
        port: Number(server.port || 443),
        rejectUnauthorized: false,
        ...(isIP(host) === 0 ? { servername: host } : {}),
      })
      socket.setTimeout(deadlineMs, () => reject(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' })))
      socket.on('error', reject)
      socket.on('close', () => reject(new Error('the connection was closed')))
      socket.on('secureConnect', () => resolve(certificatesOf(socket as TLSSocket)))
    })
  } catch (error) {
    throw connectionError(error, server, new Date())
  } finally {
    socket?.destroy()
  }
}
