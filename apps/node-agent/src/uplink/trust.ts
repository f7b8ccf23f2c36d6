import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'
import { readManagedFile, writeManagedFile } from '../machine/managed-file.js'
import type { Log } from '@roost/runtime'

/** Returns PEM of the server's certificate, then of its issuers, as far as the server sent them. */
export function certificatesOf(socket: TLSSocket): string[] {
  const certificates: string[] = []
  let next: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true)
  while (next?.raw !== undefined && next.raw.length > 0) {
    const pem = new X509Certificate(next.raw).toString()
    if (certificates.includes(pem)) break
    certificates.push(pem)
    next = next.issuerCertificate
  }
  return certificates
}

/**
 * Says whether a server with these certificates can still be reached by a client that trusts `authorities` alone: a
 * list that fails this would lock the agent out.
 */
export function vouchesFor(authorities: readonly string[], shown: readonly string[]): boolean {
  const trusted = authorities.map((pem) => new X509Certificate(pem))
  return shown
    .map((pem) => new X509Certificate(pem))
    .some((certificate) =>
      trusted.some(
        (authority) =>
          authority.fingerprint256 === certificate.fingerprint256 ||
          (certificate.checkIssued(authority) && certificate.verify(authority.publicKey)),
      ),
    )
}

/** Splits a text into one PEM each, in their order; empty where it has none. Throws on one that cannot be read. */
export function splitPem(text: string): string[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []
  return blocks.map((block) => new X509Certificate(block).toString())
}

/** The authorities that the agent trusts, kept in `ca.pem` of its state directory. */
export class Trust {
  readonly #dataDir: string
  readonly #log: Log
  #authorities: readonly string[]

  constructor(dataDir: string, authorities: readonly string[], log: Log) {
    this.#dataDir = dataDir
    this.#authorities = authorities
    this.#log = log
  }

  /** Returns the trusted authorities; none means those of Node. */
  get authorities(): readonly string[] {
    return this.#authorities
  }

  /**
   * Takes the list that the control plane sent over a connection that showed these certificates. A list that cannot be
   * read, or by which the present connection would not stand, is left alone.
   */
  async learn(sent: readonly string[], shown: readonly string[]): Promise<void> {
    if (sent.length === 0 || shown.length === 0) return
    try {
      const authorities = splitPem(sent.join('\n'))
      if (authorities.join('') === this.#authorities.join('')) return
      if (!vouchesFor(authorities, shown))
        throw new Error('none of them signed the certificate of the current connection')
      await saveAuthorities(this.#dataDir, authorities)
      this.#authorities = authorities
      this.#log.info('saved new trusted authorities', { count: authorities.length })
    } catch (error) {
      this.#log.error('rejected the authorities of the control plane', { error })
    }
  }
}

export async function openTrust(dataDir: string, log: Log): Promise<Trust> {
  const bytes = await readManagedFile(authoritiesPath(dataDir))
  return new Trust(dataDir, splitPem(bytes?.toString() ?? ''), log)
}

export async function saveAuthorities(dataDir: string, authorities: readonly string[]): Promise<void> {
  await writeManagedFile(authoritiesPath(dataDir), authorities.join(''), 0o644)
}

function authoritiesPath(dataDir: string): string {
  return join(dataDir, 'ca.pem')
}
