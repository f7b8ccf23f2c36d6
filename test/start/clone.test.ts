import { execFile, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { repository } from '../support/http/control-plane.js'
import { processesNaming, runToEnd } from '../support/programs/processes.js'

const run = promisify(execFile)
const onSystem = process.env['ROOST_TEST_SYSTEM'] === '1'
const isRoot = process.getuid?.() === 0

/** What a newcomer has: a clone in a home that nobody else may enter, and their own account. */
interface Newcomer {
  readonly home: string
  readonly clone: string
  readonly dataDir: string
  readonly account: { readonly uid?: number; readonly gid?: number }
}

async function newcomer(user: string): Promise<Newcomer> {
  const home = await mkdtemp(join(tmpdir(), 'roost-home-'))
  const clone = join(home, 'roost')
  await cloneTo(clone)
  await chmod(home, 0o700)
  // The account that runs root's database may not enter root's home: there the data is elsewhere, as by default.
  if (user === 'root') return { home, clone, dataDir: await mkdtemp(join(tmpdir(), 'roost-data-')), account: {} }
  const dataDir = join(home, 'data')
  if (!isRoot) return { home, clone, dataDir, account: {} }
  await run('chown', ['-R', `${user}:`, home])
  const [uid, gid] = await Promise.all(['-u', '-g'].map(async (flag) => Number((await run('id', [flag, user])).stdout)))
  return { home, clone, dataDir, account: { uid: uid ?? 0, gid: gid ?? 0 } }
}

/** The account may not be the owner of the repository, as in a container. */
async function cloneTo(folder: string): Promise<void> {
  await run('git', ['-c', 'safe.directory=*', 'clone', '--quiet', repository, folder])
}

interface Started {
  readonly npm: ChildProcess
  /** The line of curl that was printed. */
  readonly curl: string
  readonly seconds: number
}

/** `npm start` in a process group of its own, as under a terminal. `prefix` is a command that runs it. */
async function npmStart({ home, clone, dataDir, account }: Newcomer, prefix: readonly string[] = []): Promise<Started> {
  const began = performance.now()
  const npm = spawn('env', [...prefix, 'npm', 'start'], {
    ...account,
    cwd: clone,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      ROOST_DATA_DIR: dataDir,
      ROOST_LISTEN: '127.0.0.1:0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  for (const deadline = Date.now() + 600_000; Date.now() < deadline; await sleep(50)) {
    const curl = /^ {2}(curl .*)$/m.exec(output)?.[1]
    if (curl !== undefined) return { npm, curl, seconds: (performance.now() - began) / 1000 }
    if (npm.exitCode !== null) break
  }
  if (npm.exitCode === null) signalGroup(npm, 'SIGKILL')
  throw new Error(`npm start did not start:\n${output}`)
}

/** Runs a command as the account in a network of its own, which has nothing but loopback. Needs root. */
function offline({ uid = 0, gid = 0 }: Newcomer['account']): readonly string[] {
  const asAccount = `exec setpriv --reuid ${uid} --regid ${gid} --clear-groups "$@"`
  return ['unshare', '--net', 'sh', '-c', `ip link set lo up && ${asAccount}`, 'sh']
}

/** What Ctrl-C does: the terminal signals everybody in the group. */
function signalGroup(npm: ChildProcess, signal: NodeJS.Signals): void {
  process.kill(-(npm.pid as number), signal)
}

function processesOf({ home, dataDir }: Newcomer): readonly number[] {
  return [...new Set([...processesNaming(home), ...processesNaming(dataDir)])]
}

/** Those of the group are just ending. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function allGone(person: Newcomer): Promise<boolean> {
  for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(50))
    if (processesOf(person).length === 0) return true
  return false
}

/** Each installs and builds a clone, which takes a minute and more. */
const isLong = process.env['ROOST_TEST_LONG'] === '1'
const accounts = isLong ? ['root', 'nobody'] : ['nobody']

describe.each(isRoot ? accounts : ['this account'])(
  'npm start in a fresh clone, as %s',
  { timeout: 1_500_000 },
  (user) => {
    let person: Newcomer

    beforeAll(async () => {
      if (onSystem) person = await newcomer(user)
    })
    // What a test that failed left running would have the data directory of the next.
    afterEach(() => {
      if (onSystem) for (const pid of processesOf(person)) killIfThere(pid)
    })
    afterAll(async () => {
      if (!onSystem) return
      await rm(person.home, { recursive: true, force: true })
      await rm(person.dataDir, { recursive: true, force: true })
    })

    it.skipIf(!onSystem)(
      'serves, and prints a line of curl that works when pasted; Ctrl-C ends every process',
      async () => {
        const { npm, curl } = await npmStart(person)
        const { stdout } = await runToEnd('bash', ['-c', `${curl} --silent`], {
          env: { PATH: process.env['PATH'] ?? '' },
        })
        expect(JSON.parse(stdout)).toMatchObject({ objects: [{ name: 'default' }] })
        signalGroup(npm, 'SIGINT')
        expect(await allGone(person)).toBe(true)
      },
    )

    it.skipIf(!onSystem || !isRoot || !isLong)(
      'starts another clone without a network, from what the first one left',
      async () => {
        const other = { ...person, clone: join(person.home, 'other'), dataDir: join(person.home, 'other-data') }
        await cloneTo(other.clone)
        await run('chown', ['-R', user, other.clone])
        const { npm, curl } = await npmStart({ ...other, account: {} }, offline(person.account))
        const { stdout } = await runToEnd('nsenter', [
          `--net=/proc/${npm.pid}/ns/net`,
          'bash',
          '-c',
          `${curl} --silent`,
        ])
        expect(JSON.parse(stdout)).toMatchObject({ objects: [{ name: 'default' }] })
        signalGroup(npm, 'SIGINT')
        expect(await allGone(other)).toBe(true)
        await rm(other.clone, { recursive: true })
      },
    )

    it.skipIf(!onSystem).each(['SIGINT', 'SIGTERM'] as const)(
      'ends every process on %s to npm alone',
      async (signal) => {
        const { npm } = await npmStart(person)
        npm.kill(signal)
        expect(await allGone(person)).toBe(true)
      },
    )

    it.skipIf(!onSystem)('recovers by itself after kill -9 of everything', async () => {
      const key = await readFile(join(person.dataDir, 'admin.apikey'), 'utf8')
      const { npm } = await npmStart(person)
      signalGroup(npm, 'SIGKILL')
      for (const pid of processesOf(person)) killIfThere(pid)
      expect(await allGone(person)).toBe(true)
      const again = await npmStart(person)
      const { stdout } = await runToEnd('bash', ['-c', `${again.curl} --silent`], {
        env: { PATH: process.env['PATH'] ?? '' },
      })
      expect(JSON.parse(stdout)).toMatchObject({ objects: [{ name: 'default' }] })
      expect(await readFile(join(person.dataDir, 'admin.apikey'), 'utf8')).toBe(key)
      signalGroup(again.npm, 'SIGINT')
      expect(await allGone(person)).toBe(true)
    })
  },
)
