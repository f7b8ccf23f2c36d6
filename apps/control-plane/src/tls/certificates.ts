import 'reflect-metadata'
import { X509Certificate, createHash, createPrivateKey, createPublicKey, randomBytes, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import * as x509 from '@peculiar/x509'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const dayMs = 86_400_000
const caDays = 3650
// The maximum that common clients accept.
const serverDays = 397
const renewBeforeDays = { ca: 2 * serverDays, server: 30 }

x509.cryptoProvider.set(webcrypto as never)

/** A certificate with its private key (PKCS#8), both PEM. */
export interface KeyPair {
  readonly cert: string
  readonly key: string
}

/** Creates a certificate authority; with `key`, renews the same one for ten years. */
export async function makeCa(now: number, key?: string): Promise<KeyPair> {
  const keys = key === undefined ? await newKeys() : await keysOf(key)
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    // Clients confuse two authorities with the same name.
    name: `CN=Roost CA ${await nameOfKey(keys.publicKey)}`,
    ...validity(now, caDays),
    signingAlgorithm: algorithm,
    keys: keys as never,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { cert: `${cert.toString('pem')}\n`, key: key ?? (await pemOf(keys.privateKey)) }
}

/** Creates a server certificate for these names and addresses; with `key`, one for the same key. */
export async function makeServerCertificate(
  ca: KeyPair,
  names: readonly string[],
  now: number,
  key?: string,
): Promise<KeyPair> {
  const keys = key === undefined ? await newKeys() : await keysOf(key)
  const issuer = new x509.X509Certificate(ca.cert)
  const cert = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: 'CN=Roost',
    issuer: issuer.subject,
    ...validity(now, serverDays),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey as never,
    signingKey: (await keysOf(ca.key)).privateKey as never,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value })),
      ),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { cert: `${cert.toString('pem')}\n`, key: key ?? (await pemOf(keys.privateKey)) }
}

export function caMustBeRenewed(cert: string, now: number): boolean {
  return endsWithin(new X509Certificate(cert), renewBeforeDays.ca, now)
}

/** Returns true if the certificate expires soon, is from another authority, or lacks a name. */
export function serverMustBeRenewed(cert: string, ca: string, names: readonly string[], now: number): boolean {
  const parsed = new X509Certificate(cert)
  return (
    endsWithin(parsed, renewBeforeDays.server, now) ||
    !isIssuedBy(cert, ca) ||
    !names.every((name) => (isIP(name) ? parsed.checkIP(name) : parsed.checkHost(name)) !== undefined)
  )
}

export function isIssuedBy(cert: string, ca: string): boolean {
  return new X509Certificate(cert).verify(new X509Certificate(ca).publicKey)
}

/** A certificate on which connections to the control plane depend. */
export interface DatedCertificate {
  /** `server`, or the name of an authority. */
  readonly name: string
  /** Unix milliseconds. */
  readonly endsMs: number
}

/** Returns the end of the server's certificate and of each authority in its chain, and of those that clients trust. */
export function endsOf(chain: string, trusted: readonly string[]): readonly DatedCertificate[] {
  const [server, ...issuers] = blocksOf(chain)
  const authorities = [...new Set([...issuers, ...trusted.flatMap(blocksOf)])].map(
    (block) => new X509Certificate(block),
  )
  const named = authorities.map((cert) => ({ name: nameOf(cert), endsMs: Date.parse(cert.validTo) }))
  // While an authority is renewed, that with the same key which ends last counts.
  const last = named.filter(({ name, endsMs }) => !named.some((one) => one.name === name && one.endsMs > endsMs))
  if (server === undefined) return last
  return [{ name: 'server', endsMs: Date.parse(new X509Certificate(server).validTo) }, ...last]
}

function nameOf({ subject, fingerprint256 }: X509Certificate): string {
  return /^CN=(.+)$/m.exec(subject)?.[1] ?? fingerprint256
}

function blocksOf(pem: string): readonly string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
}

/** Returns the self-signed authorities in a PEM file with a chain. */
export function selfSignedOf(pem: string): readonly string[] {
  return blocksOf(pem).filter((block) => {
    const cert = new X509Certificate(block)
    return cert.ca && cert.verify(cert.publicKey)
  })
}

/** Returns the SHA-256 of a certificate's public key (SubjectPublicKeyInfo) in hex, which a renewal does not change. */
export function publicKeyDigest(pem: string): string {
  const key = new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(key).digest('hex')
}

function endsWithin(cert: X509Certificate, days: number, now: number): boolean {
  return Date.parse(cert.validTo) - now < days * dayMs
}

/** Returns the validity from yesterday on, for clients whose clocks are slow. */
function validity(now: number, days: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(now - dayMs), notAfter: new Date(now + days * dayMs) }
}

function newSerial(): string {
  return `01${randomBytes(15).toString('hex')}`
}

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
}

async function keysOf(pem: string): Promise<webcrypto.CryptoKeyPair> {
  const privateDer = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' })
  const publicDer = createPublicKey(pem).export({ type: 'spki', format: 'der' })
  return {
    privateKey: await webcrypto.subtle.importKey('pkcs8', privateDer, algorithm, true, ['sign']),
    publicKey: await webcrypto.subtle.importKey('spki', publicDer, algorithm, true, ['verify']),
  }
}

async function nameOfKey(key: webcrypto.CryptoKey): Promise<string> {
  const digest = await webcrypto.subtle.digest('SHA-256', await webcrypto.subtle.exportKey('spki', key))
  return Buffer.from(digest).toString('hex').slice(0, 8)
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key))
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ type: 'pkcs8', format: 'pem' })
    .toString()
}
