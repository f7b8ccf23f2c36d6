import { readFile } from 'node:fs/promises'
import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import type { Config } from '../../config.js'
import { readInstance } from '../../lifecycle/instance.js'
import { readApiKey } from '../../operators/first-operator.js'
import { contextNamed, readContexts } from './contexts.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'

/** The control plane that commands call. */
export interface Target {
  readonly url: string
  /** PEM of the certificate authority to trust; undefined if those of the system are trusted. */
  readonly ca: string | undefined
}

/** A control plane, and the key to call it with. */
export interface Connection extends Target {
  /** NAME:KEY; undefined if there is none. */
  readonly apiKey: string | undefined
  /** The context that it comes from; null if it comes from variables or the data directory. */
  readonly context: string | null
}

/** Returns the control plane of the context; else ROOST_URL, the one that runs on the data directory, or the configured address. */
export async function findConnection(config: Config): Promise<Connection> {
  const context = config.context === 'none' ? undefined : await chosenContext(config.context)
  if (context !== undefined) return context
  const apiKey = config.apiKey ?? (await readApiKey(config.dataDir))
  return { url: await targetUrl(config), ca: await readAuthority(config), apiKey, context: null }
}

async function chosenContext(context: { readonly name: string } | 'current'): Promise<Connection | undefined> {
  const stored = await readContexts()
  const name = context === 'current' ? stored.current : context.name
  if (name === null) return undefined
  const { url, ca, apiKey } = contextNamed(stored, name)
  return { url, ca: ca ?? undefined, apiKey, context: name }
}

async function targetUrl(config: Config): Promise<string> {
  if (config.url !== null) return config.url
  const running = await readInstance(config.dataDir)
  if (running?.url) return running.url
  if (config.publicUrl !== null) return config.publicUrl
  const { host, port } = config.listen
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `${config.tls.mode === 'off' ? 'http' : 'https'}://${isIPv6(name) ? `[${name}]` : name}:${port}`
}

async function readAuthority({ ca, dataDir }: Config): Promise<string | undefined> {
  if (ca === null) return readFile(join(dataDir, 'ca.pem'), 'utf8').catch(() => undefined)
  return readFile(ca, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    throw new CommandError(`Cannot read the file ${ca} of ROOST_CA (${code}).`, exitCodes.usage)
  })
}

const certificateFaults: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired. Check the clock of this machine, and the certificate of the control plane.',
  CERT_NOT_YET_VALID: 'is not valid yet. Check the clock of this machine.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'is for other names. Use a name that it contains, or set ROOST_PUBLIC_URL of the control plane.',
}
const unknownAuthority =
  'is signed by an authority that this machine does not trust. Set ROOST_CA to a copy of ca.pem from the data directory of the control plane.'
const unknownAuthorityCodes = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]

/** Returns a sentence for a control plane that could not be called. */
export function describeUnreachable(url: string, error: unknown): string {
  const code = innermost(error)
  const fault = certificateFaults[code] ?? (unknownAuthorityCodes.includes(code) ? unknownAuthority : undefined)
  if (fault !== undefined) return `The certificate of ${url} ${fault}`
  return `${url} does not answer (${code}). Check that Roost runs there.`
}

/** Returns the innermost reason: the message of fetch itself does not contain it. */
function innermost(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return innermost(error.cause)
  return (error as NodeJS.ErrnoException).code ?? error.message
}
