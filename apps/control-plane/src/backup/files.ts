import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartError } from '../lifecycle/start-error.js'

/** A file of the data directory that is not in the database. */
export interface KeptFile {
  /** The path below the data directory. */
  readonly path: string
  readonly base64: string
}

/** Reads the encryption keys, the authority that agents pin, and the first API key. */
export async function readKeptFiles(dataDir: string): Promise<readonly KeptFile[]> {
  const tls = (await unlessMissing(join(dataDir, 'tls'), (path) => readdir(path))) ?? []
  const paths = ['secrets.key', 'admin.apikey', 'ca.pem', ...tls.map((name) => `tls/${name}`)]
  const files = await Promise.all(
    paths.filter(isKeptPath).map(async (path) => {
      const bytes = await unlessMissing(join(dataDir, path), (file) => readFile(file))
      return bytes === undefined ? [] : [{ path, base64: bytes.toString('base64') }]
    }),
  )
  return files.flat()
}

/** Returns undefined for a missing file. An unreadable one is an error: a backup without its key or authority is useless. */
async function unlessMissing<T>(path: string, read: (path: string) => Promise<T>): Promise<T | undefined> {
  return read(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new StartError(`Cannot read ${path} (${error.code}). Run this command as the account that runs Roost.`, {
      cause: error,
    })
  })
}

/** Files that are written beside the files that they replace. */
export interface StagedFiles {
  install(): Promise<void>
  discard(): Promise<void>
}

/** Writes the files under temporary names, so that installing them cannot fail on a full disk. */
export async function stageKeptFiles(dataDir: string, files: readonly KeptFile[]): Promise<StagedFiles> {
  const targets = files.map(({ path }) => join(dataDir, path))
  const discard = async () => {
    for (const target of targets) await rm(`${target}.restored`, { force: true })
  }
  try {
    for (const { path, base64 } of files) {
      const target = join(dataDir, path)
      await mkdir(dirname(target), { recursive: true, mode: 0o700 })
      const mode = path === 'ca.pem' ? 0o644 : 0o600
      await writeFile(`${target}.restored`, Buffer.from(base64, 'base64'), { mode, flush: true })
    }
  } catch (error) {
    await discard()
    throw error
  }
  return {
    discard,
    async install() {
      for (const target of targets) await rename(`${target}.restored`, target)
    },
  }
}

/** Returns true for the files of a backup. Paths outside the data directory are refused. */
export function isKeptPath(path: string): boolean {
  return /^(?:secrets\.key|admin\.apikey|ca\.pem|tls\/[\w.-]+)$/.test(path) && !/\.\.|\.(?:new|restored)$/.test(path)
}
