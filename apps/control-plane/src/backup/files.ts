import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartError } from '../lifecycle/start-error.js'

/** A file of the data directory that no database can replace. */
export interface KeptFile {
  /** Below the data directory. */
  readonly path: string
  readonly base64: string
}

/** The encryption keys, the authority that agents pin, and the first key. */
export async function readKeptFiles(dataDir: string): Promise<readonly KeptFile[]> {
  const tls = (await unlessMissing(join(dataDir, 'tls'), (path) => readdir(path))) ?? []
  const paths = ['secrets.key', 'admin.apikey', 'ca.pem', ...tls.map((name) => `tls/${name}`)]
  const files = await Promise.all(
    paths.filter(isKeptPath).map(async (path) => {
      const bytes = await unlessMissing(join(dataDir, path), (whole) => readFile(whole))
      return bytes === undefined ? [] : [{ path, base64: bytes.toString('base64') }]
    }),
  )
  return files.flat()
}

/** A file that is there and cannot be read must not be left out: a backup without its key or authority is worth nothing. */
async function unlessMissing<T>(path: string, read: (path: string) => Promise<T>): Promise<T | undefined> {
  return read(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new StartError(`${path} cannot be read (${error.code}): run this as the account that runs Roost.`, {
      cause: error,
    })
  })
}

/** Files that lie beside those whose places they are to take. */
export interface StagedFiles {
  /** Puts each in its place. */
  place(): Promise<void>
  discard(): Promise<void>
}

/** Writes the files so that what is left to do cannot fail for want of room. */
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
    async place() {
      for (const target of targets) await rename(`${target}.restored`, target)
    },
  }
}

/** A name in an archive must not lead out of the data directory. */
export function isKeptPath(path: string): boolean {
  return /^(?:secrets\.key|admin\.apikey|ca\.pem|tls\/[\w.-]+)$/.test(path) && !/\.\.|\.(?:new|restored)$/.test(path)
}
