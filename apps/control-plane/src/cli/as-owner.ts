import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { resolve } from 'node:path'
import { noSuchArchive, unwritableArchive } from '../backup/archive.js'
import type { Config } from '../config.js'
import { CommandError, exitCodes } from './terminal/exit-codes.js'
import type { Terminal } from './terminal/terminal.js'

/**
 * Runs commands of `roost local` as the owner of the data directory, each in a process whose exit code becomes ours. Root
 * passes the archive of a backup as an open file, because the owner may have no access to its folder.
 */
export interface AsOwner {
  run(args: readonly string[]): Promise<void>
  /** Writes the archive, which root owns. */
  backup(file: string, flags: readonly string[]): Promise<void>
  restore(file: string, flags: readonly string[]): Promise<void>
}

/** The file descriptor of the archive in the owner's process. */
const archiveFlags = ['--descriptor', '3']

/**
 * Returns undefined unless this process is root and the data directory belongs to another account: the control plane could
 * not read files that root writes there, and PostgreSQL refuses to run as root.
 */
export async function asOwnerOf(config: Config, terminal: Terminal): Promise<AsOwner | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const { uid, gid } = await stat(config.dataDir).catch(() => ({ uid: 0, gid: 0 }))
  if (uid === 0) return undefined
  const run = async (args: readonly string[], archive?: FileHandle) => {
    const code = await exitCodeOf({ uid, gid }, config.dataDir, args, terminal, archive)
    process.exitCode = code
    return code === 0
  }
  return {
    run: async (args) => void (await run(args)),
    async backup(file, flags) {
      const path = resolve(file)
      if (existsSync(path)) throw new CommandError(`${path} already exists. Use another file name.`, exitCodes.conflict)
      const draft = `${path}.new`
      const archive = await createDraft(draft).catch((error: NodeJS.ErrnoException) => {
        throw unwritableArchive(path, error)
      })
      try {
        if (await run(['backup', path, ...flags, ...archiveFlags], archive)) await rename(draft, path)
      } finally {
        await archive.close()
        await rm(draft, { force: true })
      }
    },
    async restore(file, flags) {
      const path = resolve(file)
      const archive = await open(path).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? noSuchArchive(path, error) : error
      })
      try {
        await run(['restore', path, ...flags, ...archiveFlags], archive)
      } finally {
        await archive.close()
      }
    },
  }
}

/** Opens the file exclusively, which follows no link that the owner may have left there. */
async function createDraft(draft: string): Promise<FileHandle> {
  await rm(draft, { force: true })
  return open(draft, 'wx', 0o600)
}

function exitCodeOf(
  owner: { readonly uid: number; readonly gid: number },
  dataDir: string,
  args: readonly string[],
  { stopping, style }: Pick<Terminal, 'stopping' | 'style'>,
  archive: FileHandle | undefined,
): Promise<number> {
  const [, program = ''] = process.argv
  const quiet = style.quiet ? ['--quiet'] : []
  const child = spawn(process.execPath, [...process.execArgv, program, ...quiet, 'local', ...args], {
    ...owner,
    cwd: dataDir,
    env: { ...process.env, HOME: dataDir, ROOST_DATA_DIR: dataDir },
    stdio: ['ignore', 'inherit', 'inherit', ...(archive === undefined ? [] : [archive.fd])],
  })
  stopping.addEventListener('abort', () => void child.kill(), { once: true })
  return new Promise((settle, reject) => {
    child.once('error', reject)
    child.once('close', (code) => settle(code ?? exitCodes.error))
  })
}
