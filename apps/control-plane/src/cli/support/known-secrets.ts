import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.js'
import { apiKeyPath } from '../../operators/first-operator.js'
import { readContexts } from '../client/contexts.js'

/** Returns every secret that this account can read here, so that each is hidden where it appears. */
export async function knownSecrets({ dataDir, apiKey, databaseUrl, tls }: Config): Promise<readonly string[]> {
  const { contexts } = await readContexts().catch(() => ({ contexts: {} }))
  const keys = [apiKey ?? '', await textOf(apiKeyPath(dataDir)), ...Object.values(contexts).map((one) => one.apiKey)]
  const stored = await textOf(join(dataDir, 'secrets.key'))
  const tlsDir = join(dataDir, 'tls')
  const ofAuthority = (await readdir(tlsDir).catch(() => [])).map((name) => join(tlsDir, name))
  const pems = await Promise.all([...ofAuthority, ...(tls.mode === 'files' ? [tls.key] : [])].map(textOf))
  return [
    ...keys.flatMap((pair) => [pair, pair.slice(pair.indexOf(':') + 1)]),
    ...stored.split(/\s+/),
    ...pems.flatMap(linesOfKeys),
    ...passwordsOf(databaseUrl),
  ]
}

function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '')
}

/** A private key in another form has the same lines. */
function linesOfKeys(pem: string): readonly string[] {
  const blocks = pem.match(/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END/g) ?? []
  return blocks.flatMap((block) => block.split('\n').filter((line) => /^[\w+/=]{16,}$/.test(line)))
}

function passwordsOf(databaseUrl: string | null): readonly string[] {
  if (databaseUrl === null) return []
  const { password, searchParams } = new URL(databaseUrl)
  return [password, decodeURIComponent(password), searchParams.get('password') ?? '']
}
