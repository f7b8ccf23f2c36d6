import { readFileSync } from 'node:fs'
import { link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartError } from './start-error.js'

/** What `<data>/roost.pid` says of the control plane that runs on a data directory. */
interface InstanceFile {
  readonly pid: number
  /** When the process began, in the kernel's ticks: a pid alone may have been given to another program. */
  readonly started: string
  /** Where it can be reached from this machine; null while it starts. */
  readonly url: string | null
}

export interface Instance {
  /** Tells the command line where we listen. */
  announce(url: string): Promise<void>
  release(): Promise<void>
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'its path cannot be made',
  EEXIST: 'there is a file in its path',
  ENOTDIR: 'there is a file in its path',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the file system is full',
}
const fileName = 'roost.pid'

/** Claims a data directory, which it makes where it is missing. Of several claimants one wins, the others get a StartError. */
export async function claimDataDir(dataDir: string): Promise<Instance> {
  const path = join(dataDir, fileName)
  const mine = `${path}.${process.pid}`
  try {
    await makeFolder(dirname(dataDir))
    await makeFolder(dataDir, 0o700)
    await writeFile(mine, describeSelf(null), { mode: 0o600 })
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw new StartError(
      `The data directory ${dataDir} cannot be written (${reasons[code] ?? code}): choose another by ROOST_DATA_DIR, or give this account access to it.`,
      { cause: error },
    )
  }
  try {
    await claim(path, mine, dataDir)
  } finally {
    await rm(mine, { force: true })
  }
  return {
    async announce(url) {
      await writeFile(mine, describeSelf(url), { mode: 0o600 })
      await rename(mine, path)
    },
    release: () => rm(path, { force: true }),
  }
}

/** Node's own recursive mkdir never ends where the kernel answers ENOENT for any new name, as below `/proc`. */
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

function describeSelf(url: string | null): string {
  return JSON.stringify({ pid: process.pid, started: stampOf(process.pid) ?? '', url } satisfies InstanceFile)
}

/** Links our file to the name, which fails when another has it; the name of a dead one is taken away first. */
async function claim(path: string, mine: string, dataDir: string): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt++) {
    const linked = await link(mine, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
      return 'taken' as const
    })
    if (linked !== 'taken') return
    const holder = await readInstance(dataDir)
    if (holder)
      throw new StartError(
        `Another Roost (process ${holder.pid}) runs on ${dataDir}: stop it first, or set another ROOST_DATA_DIR.`,
      )
    await rm(path, { force: true })
  }
  throw new StartError(`The file ${path} cannot be replaced: remove it when no Roost runs on this data directory.`)
}

/** The control plane that runs on a data directory; undefined where none does. */
export async function readInstance(dataDir: string): Promise<InstanceFile | undefined> {
  try {
    const file = JSON.parse(await readFile(join(dataDir, fileName), 'utf8')) as InstanceFile
    return stampOf(file.pid) === file.started ? file : undefined
  } catch {
    return undefined
  }
}

/** When a process began; undefined when there is none, or a zombie that nobody has reaped. */
function stampOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ') // the name before may hold blanks
    return fields[0] === 'Z' ? undefined : fields[19]
  } catch {
    return undefined
  }
}
