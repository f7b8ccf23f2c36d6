import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { controlPlaneEnv, repository } from '../http/control-plane.js'
import { runRoost, runToEnd } from '../programs/processes.js'

/** What a release left behind: see the README in its folder. */
const folder = join(repository, 'test/fixtures/0.1.0')

/** Unpacks the agent of 0.1.0 into a new folder. Returns its program, a file for Node. */
export async function unpackAgent(dir: string): Promise<string> {
  await mkdir(dir)
  const { code, stderr } = await runToEnd('tar', ['xzf', join(folder, 'agent.tar.gz'), '-C', dir])
  if (code !== 0) throw new Error(`The agent of 0.1.0 could not be unpacked: ${stderr}`)
  return join(dir, 'bin/roost-agent.js')
}

/** What was true of 0.1.0 when its backup was made. */
export interface EarlierRelease {
  /** Bodies of its API by path. */
  readonly answers: Readonly<Record<string, object>>
  /** As `name:key`, by operator. */
  readonly keys: { readonly admin: string; readonly reader: string }
  /** The passwords of users and shares by name, and the key of the storage login: all are encrypted in the database. */
  readonly users: Readonly<Record<string, string>>
  readonly shares: Readonly<Record<string, string>>
  readonly storage: string
}

export async function readEarlierRelease(): Promise<EarlierRelease> {
  const [keys, answers] = ['keys.json', 'answers.json'].map((name) => readFile(join(folder, name), 'utf8'))
  return { ...JSON.parse((await keys) ?? ''), answers: JSON.parse((await answers) ?? '') }
}

/** Restores the backup of 0.1.0 by this release's program: the keys into a data directory, the rows into an empty database. */
export async function restoreEarlierRelease(dataDir: string, databaseUrl: string): Promise<void> {
  const env = controlPlaneEnv(dataDir, { DATABASE_URL: databaseUrl })
  const { code, stderr } = await runRoost(['local', 'restore', join(folder, 'roost.backup')], env)
  if (code !== 0) throw new Error(`The backup of 0.1.0 could not be restored: ${stderr}`)
}
