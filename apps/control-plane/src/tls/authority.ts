import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomically } from '@roost/runtime'
import { caMustBeRenewed, isIssuedBy, makeCa, makeServerCertificate, serverMustBeRenewed } from './certificates.js'
import type { KeyPair } from './certificates.js'

/** The server's certificate and the authorities to trust. */
export interface Identity {
  readonly key: string
  /** The server certificate with its chain. */
  readonly cert: string
  /** PEM of the authorities to trust: two during a replacement. */
  readonly trusted: readonly string[]
}

export interface AuthorityOptions {
  readonly dataDir: string
  readonly names: readonly string[]
  readonly now: () => number
  /** Returns true if every node has received an authority that was created at that time (Unix milliseconds). */
  readonly everyNodeKnows: (since: number) => Promise<boolean>
}

/**
 * Returns the server certificate of our own authority in `<data>/tls`. Creates both if they are missing, and renews them
 * before they expire. `<data>/ca.pem` is for clients.
 */
export async function refreshIdentity(options: AuthorityOptions): Promise<Identity> {
  const { dataDir, names, now } = options
  await mkdir(tlsDir(dataDir), { recursive: true, mode: 0o700 })
  const ca = await currentCa(options)
  const next = await readPair(dataDir, 'next-ca')
  const trusted = next ? [ca.cert, next.cert] : [ca.cert]
  let server = await readPair(dataDir, 'server')
  if (!server || serverMustBeRenewed(server.cert, ca.cert, names, now())) {
    // Lines of `roost token create` pin the server's key: it changes with its authority alone.
    const key = server !== undefined && isIssuedBy(server.cert, ca.cert) ? server.key : undefined
    server = await makeServerCertificate(ca, names, now(), key)
    await writePair(dataDir, 'server', server)
  }
  await writeChanged(join(dataDir, 'ca.pem'), trusted.join(''))
  return { key: server.key, cert: server.cert + ca.cert, trusted }
}

/**
 * Begins the replacement of the authority: both are trusted from now on, and the new one becomes active when every node
 * has received it. Returns false if a replacement is in progress.
 */
export async function beginReplacement(dataDir: string, now: number): Promise<boolean> {
  if (existsSync(join(tlsDir(dataDir), 'next-ca.pem'))) return false
  await writePair(dataDir, 'next-ca', await makeCa(now))
  return true
}

/** Returns true if the data directory has an authority, which the first start creates. */
export function hasAuthority(dataDir: string): boolean {
  return existsSync(join(tlsDir(dataDir), 'ca.pem'))
}

async function currentCa({ dataDir, now, everyNodeKnows }: AuthorityOptions): Promise<KeyPair> {
  const ca = await readPair(dataDir, 'ca')
  if (!ca) return writePair(dataDir, 'ca', await makeCa(now()))
  const nextPath = join(tlsDir(dataDir), 'next-ca.pem')
  const next = await readPair(dataDir, 'next-ca')
  if (next && (await everyNodeKnows((await stat(nextPath)).mtimeMs))) {
    await writePair(dataDir, 'ca', next)
    await rm(nextPath)
    return next
  }
  return caMustBeRenewed(ca.cert, now()) ? writePair(dataDir, 'ca', await makeCa(now(), ca.key)) : ca
}

function tlsDir(dataDir: string): string {
  return join(dataDir, 'tls')
}

/** Reads a certificate and its key, which are one file, so that a crash cannot separate them. */
async function readPair(dataDir: string, name: string): Promise<KeyPair | undefined> {
  const text = await readFile(join(tlsDir(dataDir), `${name}.pem`), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
  if (text === undefined) return undefined
  const at = text.indexOf('-----BEGIN PRIVATE KEY-----')
  return { cert: text.slice(0, at), key: text.slice(at) }
}

async function writePair(dataDir: string, name: string, pair: KeyPair): Promise<KeyPair> {
  await writeFileAtomically(join(tlsDir(dataDir), `${name}.pem`), pair.cert + pair.key, { mode: 0o600 })
  return pair
}

async function writeChanged(path: string, text: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => '')) !== text) await writeFileAtomically(path, text, { mode: 0o644 })
}
