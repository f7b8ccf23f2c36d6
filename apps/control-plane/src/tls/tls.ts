import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { isLinkLocal } from '@roost/api-types/rest'
import type { Config } from '../config.js'
import type { Log } from '../lifecycle/log.js'
import { StartError } from '../lifecycle/start-error.js'
import { refreshIdentity } from './authority.js'
import type { AuthorityOptions, Identity } from './authority.js'
import { selfSignedOf } from './certificates.js'

const refreshIntervalMs = 60_000

export interface Tls {
  /** Null: plain HTTP. */
  current(): Identity | null
  /** The path of the authority to trust; null if clients use the system's authorities, or TLS is off. */
  readonly caPath: string | null
  /** Whether Roost issued the certificate, and renews it. */
  readonly isOwn: boolean
  /** Returns true if the certificate is valid for this name or address of the server. False when TLS is off. */
  covers(host: string): boolean
  /** Calls the listener when the certificate or the trusted authorities have changed. */
  onChange(listener: (identity: Identity) => void): void
  close(): void
}

export type TlsOptions = Pick<AuthorityOptions, 'now' | 'everyNodeKnows'> & { readonly log: Log }

/** Opens the configured certificate and renews it while the server runs. Throws StartError. */
export async function openTls(config: Config, options: TlsOptions): Promise<Tls> {
  const { tls, dataDir } = config
  if (tls.mode === 'off')
    return { current: () => null, caPath: null, isOwn: false, covers: () => false, onChange: () => {}, close: () => {} }
  const refresh =
    tls.mode === 'files'
      ? () => readIdentity(tls.cert, tls.key)
      : () => refreshIdentity({ ...options, dataDir, names: namesOf(config) })
  const caPath = tls.mode === 'auto' ? join(dataDir, 'ca.pem') : null
  return { ...(await keepFresh(refresh, options.log)), caPath, isOwn: tls.mode === 'auto' }
}

/** Refreshes the certificate periodically. After a failure the current one stays in use. */
async function keepFresh(refresh: () => Promise<Identity>, log: Log): Promise<Omit<Tls, 'caPath' | 'isOwn'>> {
  let identity = await refresh()
  let certificate = new X509Certificate(identity.cert)
  const listeners: ((identity: Identity) => void)[] = []
  const update = async () => {
    try {
      const fresh = await refresh()
      if (fresh.cert === identity.cert && fresh.trusted.join('') === identity.trusted.join('')) return
      identity = fresh
      certificate = new X509Certificate(fresh.cert)
      log.info('certificates changed')
      for (const listener of listeners) listener(fresh)
    } catch (error) {
      log.error({ err: error }, 'could not refresh the certificates, keeping the current ones')
    }
  }
  const timer = setInterval(() => void update(), refreshIntervalMs)
  timer.unref()
  return {
    current: () => identity,
    covers: (host) => (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined,
    onChange: (listener) => void listeners.push(listener),
    close: () => clearInterval(timer),
  }
}

/** Reads a certificate with its chain and its key. Throws StartError. */
export async function readIdentity(certPath: string, keyPath: string): Promise<Identity> {
  const [cert, key] = await Promise.all(
    [certPath, keyPath].map((path) =>
      readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        throw new StartError(`Cannot read the file ${path} of ROOST_TLS=files (${error.code}).`, { cause: error })
      }),
    ),
  )
  if (cert === undefined || key === undefined || !belongTogether(cert, key))
    throw new StartError(`${keyPath} is not the key of the certificate in ${certPath}. Both files must be PEM.`)
  return { cert, key, trusted: selfSignedOf(cert) }
}

function belongTogether(cert: string, key: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

/** Returns every name and address of the server. */
function namesOf({ listen, publicUrl }: Config): readonly string[] {
  const names = ['localhost', '127.0.0.1', '::1', hostname()]
  if (publicUrl !== null) names.push(new URL(publicUrl).hostname.replace(/^\[(.*)\]$/, '$1'))
  if (listen.host === '0.0.0.0' || listen.host === '::') names.push(...ownAddresses())
  else names.push(listen.host)
  // A name that certificates cannot contain, such as one with an underscore, would renew the certificate every minute.
  return [...new Set(names)].filter((name) => isIP(name) || /^[a-z\d.-]{1,64}$/i.test(name))
}

function ownAddresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all.filter(({ address, internal }) => !internal && !isLinkLocal(address)).map(({ address }) => address)
}
