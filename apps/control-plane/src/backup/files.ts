import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A file of the data directory that no database can replace. */
export interface KeptFile {
  /** Below the data directory. */
  readonly path: string
  readonly base64: string
}

/** The encryption keys, the authority that agents pin, and the first key. */
export async function readKeptFiles(dataDir: string): Promise<readonly KeptFile[]> {
  const tls = await readdir(join(dataDir, 'tls')).catch(() => [])
  const paths = ['secrets.key', 'admin.apikey', 'ca.pem', ...tls.map((name) => `tls/${name}`)]
  const files = await Promise.all(
    paths.map(async (path) => {
      const bytes = await readFile(join(dataDir, path)).catch(() => undefined)
      return bytes === undefined ? [] : [{ path, base64: bytes.toString('base64') }]
    }),
  )
  return files.flat()
}

/** Each whole or not at all. */
export async function writeKeptFiles(dataDir: string, files: readonly KeptFile[]): Promise<void> {
  for (const { path, base64 } of files) {
    const target = join(dataDir, path)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await writeFile(`${target}.new`, Buffer.from(base64, 'base64'), {
      mode: path === 'ca.pem' ? 0o644 : 0o600,
      flush: true,
    })
    await rename(`${target}.new`, target)
  }
}

/** A name in an archive must not lead out of the data directory. */
export function isKeptPath(path: string): boolean {
  return /^(?:secrets\.key|admin\.apikey|ca\.pem|tls\/[\w.-]+)$/.test(path) && !path.includes('..')
}
