import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { DatabaseError, reasonOf } from '../client/errors.js'

const run = promisify(execFile)

export interface Account {
  readonly uid: number
  readonly gid: number
}

/** PostgreSQL refuses to run as root: then the account `postgres` runs it, which is made where it is missing. */
export async function serverAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const known = await findAccount()
  if (known) return known
  try {
    await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres'])
  } catch (error) {
    throw new DatabaseError(
      'unusable',
      `PostgreSQL cannot run as root, and the account postgres could not be created (${reasonOf(error)}). Create this account, or set DATABASE_URL.`,
      error,
    )
  }
  return findAccount()
}

async function findAccount(): Promise<Account | undefined> {
  try {
    const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, 'postgres'])))
    return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) }
  } catch {
    return undefined
  }
}

/** Makes the data directory, and lets the account pass through it (but not read it). */
export async function prepareDataDir(dataDir: string, account: Account | undefined): Promise<void> {
  await mkdir(dirname(dataDir), { recursive: true })
  await mkdir(dataDir, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  if (!account || (await mayPass(dataDir, account))) return
  const { uid, mode } = await stat(dataDir)
  if (uid === 0) {
    await chown(dataDir, 0, account.gid)
    await chmod(dataDir, (mode & 0o7777) | 0o010)
  }
  if (await mayPass(dataDir, account)) return
  const closed = await firstClosed(dataDir, account)
  throw new DatabaseError(
    'unusable',
    `The account postgres, which runs the database, has no permission to pass through ${closed}. Set another ROOST_DATA_DIR, or run \`chmod o+x ${closed}\`.`,
  )
}

async function firstClosed(path: string, account: Account): Promise<string> {
  const parent = dirname(path)
  if (parent !== path && !(await mayPass(parent, account))) return firstClosed(parent, account)
  return path
}

/** Asked of the kernel as the account itself, so that access lists count too. */
async function mayPass(path: string, account: Account): Promise<boolean> {
  return run('test', ['-x', path], { ...account, cwd: '/' }).then(
    () => true,
    () => false,
  )
}
