import { readFileSync } from 'node:fs'
import { link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartError } from './start-error.js'

/** The contents of `<data>/roost.pid`: the control plane that runs on the data directory. */
export interface InstanceFile {
  readonly pid: number
  /** Start time of the process in ticks of the kernel: another program may have got the pid. */
  readonly started: string
  /** The URL for this machine; null while it starts. */
  readonly url: string | null
  /** The URL for nodes and people. */
  readonly publicUrl: string | null
  readonly listen: { readonly host: string; readonly port: number } | null
}

/** The addresses of a control plane that serves. */
export type Addresses = Pick<InstanceFile, 'url' | 'publicUrl' | 'listen'>

export interface Instance {
  /** Publishes the addresses for the command line. */
  announce(addresses: Addresses): Promise<void>
  release(): Promise<void>
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'its path cannot be created',
  EEXIST: 'a part of its path is a file, not a directory',
  ENOTDIR: 'a part of its path is a file, not a directory',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the file system is full',
}
const fileName = 'roost.pid'

/** Locks a data directory, and creates it if it is missing. Throws StartError if another process has the lock. */
export async function claimDataDir(dataDir: string): Promise<Instance> {
  const path = join(dataDir, fileName)
  const mine = `${path}.${process.pid}`
  try {
    await makeFolder(dirname(dataDir))
    await makeFolder(dataDir, 0o700)
    await writeFile(mine, describeSelf({ url: null, publicUrl: null, listen: null }), { mode: 0o600 })
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw new StartError(
      `Cannot write the data directory ${dataDir} (${reasons[code] ?? code}). Set ROOST_DATA_DIR to another directory, or give this account access to this one.`,
      { cause: error },
    )
  }
  try {
    await claim(path, mine, dataDir)
  } finally {
    await rm(mine, { force: true })
  }
  return {
    async announce(addresses) {
      await writeFile(mine, describeSelf(addresses), { mode: 0o600 })
      await rename(mine, path)
    },
    release: () => rm(path, { force: true }),
  }
}

/** Creates a folder and its parents. The recursive mkdir of Node never ends where the kernel always answers ENOENT, as below `/proc`. */
async function makeFolder(path: string, mode?: number): Promise<void> {
  try {
    await mkdir(path, mode)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return
    if (code !== 'ENOENT' || dirname(path) === path) throw error
    await makeFolder(dirname(path))
    await mkdir(path, mode)
  }
}

function describeSelf(addresses: Addresses): string {
  return JSON.stringify({ pid: process.pid, started: stampOf(process.pid) ?? '', ...addresses } satisfies InstanceFile)
}

/** Links our file to the name, which fails if the name exists. The file of a process that ended is removed first. */
async function claim(path: string, mine: string, dataDir: string): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt++) {
    const linked = await link(mine, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
      return 'exists' as const
    })
    if (linked !== 'exists') return
    const owner = await readInstance(dataDir)
    if (owner)
      throw new StartError(
        `Another Roost (process ${owner.pid}) runs on ${dataDir}. Stop it first, or set ROOST_DATA_DIR to another directory.`,
      )
    await rm(path, { force: true })
  }
  throw new StartError(
    `Cannot replace the file ${path}. Remove this file if Roost does not run on this data directory.`,
  )
}

/** Returns the control plane that runs on a data directory, if there is one. */
export async function readInstance(dataDir: string): Promise<InstanceFile | undefined> {
  try {
    const file = JSON.parse(await readFile(join(dataDir, fileName), 'utf8')) as InstanceFile
    return stampOf(file.pid) === file.started ? file : undefined
  } catch {
    return undefined
  }
}

/** Returns the start time of a process; undefined if there is none, or only a zombie. */
function stampOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ') // the name before it may contain blanks
    return fields[0] === 'Z' ? undefined : fields[19]
  } catch {
    return undefined
  }
}
