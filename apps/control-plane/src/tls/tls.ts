import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { join } from 'node:path'
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
  /** Where clients find the authority to trust; null where the system's are meant, or TLS is off. */
  readonly caPath: string | null
  /** Calls back with each later identity, and with what to trust when that changes. */
  onChange(listener: (identity: Identity) => void): void
  close(): void
}

export type TlsOptions = Pick<AuthorityOptions, 'now' | 'everyNodeKnows'> & { readonly log: Log }

/** The server's certificate as the configuration wants it, looked after while we run. Throws StartError. */
export async function openTls(config: Config, options: TlsOptions): Promise<Tls> {
  const { tls, dataDir } = config
  if (tls.mode === 'off') return { current: () => null, caPath: null, onChange: () => {}, close: () => {} }
  const refresh =
    tls.mode === 'files'
      ? () => readIdentity(tls.cert, tls.key)
      : () => refreshIdentity({ ...options, dataDir, names: namesOf(config) })
  const caPath = tls.mode === 'auto' ? join(dataDir, 'ca.pem') : null
  return { ...(await keepFresh(refresh, options.log)), caPath }
}

/** A fault while we run leaves the certificate that we have in place. */
async function keepFresh(refresh: () => Promise<Identity>, log: Log): Promise<Omit<Tls, 'caPath'>> {
  let identity = await refresh()
  const listeners: ((identity: Identity) => void)[] = []
  const look = async () => {
    try {
      const fresh = await refresh()
      if (fresh.cert === identity.cert && fresh.trusted.join('') === identity.trusted.join('')) return
      identity = fresh
      log.info('the certificates have changed')
      for (const listener of listeners) listener(fresh)
    } catch (error) {
      log.error({ err: error }, 'the certificates cannot be refreshed, the present ones stay')
    }
  }
  const timer = setInterval(() => void look(), refreshIntervalMs)
  timer.unref()
  return {
    current: () => identity,
    onChange: (listener) => void listeners.push(listener),
    close: () => clearInterval(timer),
  }
}

async function readIdentity(certPath: string, keyPath: string): Promise<Identity> {
  const [cert, key] = await Promise.all(
    [certPath, keyPath].map((path) =>
      readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        throw new StartError(`The file ${path} of ROOST_TLS=files cannot be read (${error.code}).`, { cause: error })
      }),
    ),
  )
  if (cert === undefined || key === undefined || !belongTogether(cert, key))
    throw new StartError(`${keyPath} is not the key of the certificate in ${certPath}: both must be PEM.`)
  return { cert, key, trusted: selfSignedOf(cert) }
}

function belongTogether(cert: string, key: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

/** Every name and address by which the server may be reached. */
function namesOf({ listen, publicUrl }: Config): readonly string[] {
  const names = ['localhost', '127.0.0.1', '::1', hostname()]
  if (publicUrl !== null) names.push(new URL(publicUrl).hostname.replace(/^\[(.*)\]$/, '$1'))
  if (listen.host === '0.0.0.0' || listen.host === '::') names.push(...ownAddresses())
  else names.push(listen.host)
  // A name that no certificate can hold, such as a host's with an underscore, must not have it made anew for ever.
  return [...new Set(names)].filter((name) => isIP(name) || /^[a-z\d.-]{1,64}$/i.test(name))
}

function ownAddresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all.filter(({ address, internal }) => !internal && !address.startsWith('fe80:')).map(({ address }) => address)
}
