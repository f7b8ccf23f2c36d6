import { X509Certificate } from 'node:crypto'
import { chown, readFile, stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { writeFileAtomically } from '@roost/runtime'
import { StartError } from '../lifecycle/start-error.js'
import { publicKeyDigest, selfSignedOf } from './certificates.js'
import { readIdentity } from './tls.js'

/** PEM files of a certificate with its chain, and of its key. */
export interface CertificateFiles {
  readonly cert: string
  readonly key: string
}

export interface InstallOptions {
  readonly from: CertificateFiles
  /** Where the control plane reads them. */
  readonly to: CertificateFiles
  readonly dataDir: string
  /** The URL of the control plane, which the certificate has to cover; null: unknown. */
  readonly publicUrl: string | null
  readonly now: number
  /** Accepts an authority that agents do not trust yet. */
  readonly force: boolean
}

/**
 * Checks a certificate and replaces the one that the control plane serves, which reads it within a minute. Returns the end of its
 * validity. Throws StartError, with nothing changed, if clients or agents would refuse it.
 */
export async function installCertificate(options: InstallOptions): Promise<Date> {
  const { from, to, dataDir, now } = options
  const next = await readIdentity(from.cert, from.key)
  const certificate = new X509Certificate(next.cert)
  const [start, end] = [new Date(certificate.validFrom), new Date(certificate.validTo)]
  if (end.getTime() <= now || start.getTime() > now)
    throw new StartError(
      `${from.cert} is valid from ${start.toISOString()} to ${end.toISOString()} only. Renew it first.`,
    )
  requireName(certificate, options)
  if (!options.force) await requireTrusted(next.trusted, options)
  // The key belongs to the account that runs the control plane.
  const { uid, gid } = await stat(dataDir)
  await replace(to.key, next.key, 0o600, uid, gid)
  await replace(to.cert, next.cert, 0o644, uid, gid)
  return end
}

function requireName(certificate: X509Certificate, { from, publicUrl }: InstallOptions): void {
  if (publicUrl === null) return
  const name = new URL(publicUrl).hostname.replace(/^\[(.*)\]$/, '$1')
  const isCovered = (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined
  if (!isCovered)
    throw new StartError(
      `${from.cert} does not cover ${name} of ROOST_PUBLIC_URL, only ${certificate.subjectAltName ?? 'no name'}.`,
    )
}

/** Agents trust the private authority of the present certificate, and no other. */
async function requireTrusted(trusted: readonly string[], { from, to }: InstallOptions): Promise<void> {
  const present = await readFile(to.cert, 'utf8').catch(() => '')
  const before = selfSignedOf(present).map(publicKeyDigest)
  const after = new Set(trusted.map(publicKeyDigest))
  if (before.length > 0 && !before.some((digest) => after.has(digest)))
    throw new StartError(
      `${from.cert} is not issued by the private authority of the present certificate, which agents trust. Add that authority to the file, or use --force if the agents trust the new one by their system.`,
    )
}

async function replace(path: string, text: string, mode: number, uid: number, gid: number): Promise<void> {
  await writeFileAtomically(path, text, { mode, gid })
  if ((await stat(path)).uid !== uid) await chown(path, uid, gid)
}
