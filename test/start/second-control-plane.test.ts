import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { advisoryLocks } from '@roost/database'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { controlPlaneEnv, startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { createTestDatabase } from '../support/database/database.js'
import type { TestDatabase } from '../support/database/database.js'
import { dumpDatabase } from '../support/database/dump.js'
import { runRoost } from '../support/programs/processes.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { request } from '../support/http/request.js'

let database: TestDatabase
let first: ControlPlaneProcess
/** The directory of a standby machine, with a copy of the key file. */
let standby = ''
beforeAll(async () => {
  database = await createTestDatabase()
  standby = await mkdtemp(join(tmpdir(), 'roost-standby-'))
  first = await startControlPlane({ env: { DATABASE_URL: database.url, ROOST_LOCK_WAIT: '1' } })
  await copyFile(join(first.dataDir, 'secrets.key'), join(standby, 'secrets.key'))
})
afterAll(async () => {
  await first.stop()
  await database.drop()
  await rm(standby, { recursive: true })
})

async function dataDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'roost-second-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** The session that has the lock of the control plane; undefined if there is none. */
async function holder(): Promise<number | undefined> {
  const { rows } = await database.pool.query<{ pid: number }>(
    `select pid from pg_locks l join pg_database d on d.oid = l.database
      where locktype = 'advisory' and granted and objid = $1 and objsubid = 1 and datname = current_database()`,
    [advisoryLocks.controlPlane],
  )
  return rows[0]?.pid
}

/** How many sessions wait for the lock, and know who has it. */
async function waitingSessions(): Promise<number> {
  const { rows } = await database.pool.query<{ sessions: number }>(
    `select count(*)::int as sessions from pg_stat_activity
      where datname = current_database() and application_name like 'roost lock %'
        and state = 'idle' and query like 'select a.application_name%'`,
  )
  return rows[0]?.sessions ?? 0
}

const envOfFirst = () => controlPlaneEnv(first.dataDir, { DATABASE_URL: database.url })

describe('a second control plane on one database', () => {
  it('ends with the name of the first, and has written nothing', async () => {
    const before = await dumpDatabase(database)
    const env = controlPlaneEnv(await dataDirectory(), { DATABASE_URL: database.url, ROOST_LOCK_WAIT: '0' })
    const { code, stderr } = await runRoost(['local', 'serve'], env)
    expect(stderr).toMatch(
      new RegExp(
        `^roost: Another Roost \\(process ${first.pid} on \\S+\\) uses the database at \\S+\\. Stop it first, .*\\n$`,
      ),
    )
    expect(code).toBe(1)
    expect(await dumpDatabase(database)).toBe(before)
    expect(await request(first, '/api/v1/clusters/')).toMatchObject({ status: 200 })
  })

  it('starts once the first has ended, however it ended', async () => {
    const waiting = startControlPlane({ dataDir: standby, env: { DATABASE_URL: database.url, ROOST_LOCK_WAIT: '60' } })
    await expect.poll(waitingSessions, { timeout: waitTimeoutMs }).toBe(1)
    await first.kill9()
    first = await waiting
    expect(await request(first, '/readyz')).toMatchObject({ status: 200 })
    expect(first.output()).toMatch(/another Roost \(process \d+ on \S+\) uses the database, waiting up to 60 s/)
  })

  it('does not concern the commands of `roost local`', async () => {
    const backup = await runRoost(['local', 'backup', join(first.dataDir, 'backup')], envOfFirst())
    expect(backup).toMatchObject({ code: 0 })
    expect(await runRoost(['local', 'reset-admin'], envOfFirst())).toMatchObject({ code: 0 })
  })
})

describe('the lock of a control plane', () => {
  it('is locked again after its connection broke', async () => {
    const before = await holder()
    await database.pool.query('select pg_terminate_backend($1)', [before])
    await expect.poll(holder, { timeout: waitTimeoutMs }).toSatisfy((pid) => pid !== undefined && pid !== before)
    expect(await request(first, '/readyz')).toMatchObject({ status: 200 })
  })

  it('ends it with code 1 when another process gets the lock meanwhile', async () => {
    await first.stop()
    const last = await startControlPlane({ dataDir: standby, env: { DATABASE_URL: database.url } })
    const other = await database.pool.connect()
    const locked = other.query('select pg_advisory_lock($1)', [advisoryLocks.controlPlane])
    await database.pool.query('select pg_terminate_backend($1)', [await holder()])
    await locked
    await last.died
    other.release(true)
    expect(last.output()).toMatch(/roost: Another Roost \(an unknown process\) uses the database/)
    expect(await last.stop()).toBe(1)
  })
})

describe('the key file', () => {
  beforeAll(async () => void (await first.stop()))

  const other = `0123abcd ${Buffer.alloc(32, 7).toString('base64')}\n`
  const roost = (dataDir: string, ...args: readonly string[]) =>
    runRoost(['local', ...args], controlPlaneEnv(dataDir, { DATABASE_URL: database.url }))

  it('of another installation is refused, and nothing is written', async () => {
    const dataDir = await dataDirectory()
    await writeFile(join(dataDir, 'secrets.key'), other)
    const before = await dumpDatabase(database)
    expect(await roost(dataDir, 'serve')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('secrets.key has the key 0123abcd, but this database was used with the key'),
    })
    expect(await roost(dataDir, 'rotate-secrets-key')).toMatchObject({ code: 1 })
    expect(await dumpDatabase(database)).toBe(before)
  })

  it('is not created for a database that was used with another', async () => {
    const dataDir = await dataDirectory()
    expect(await roost(dataDir, 'serve')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /secrets\.key does not exist, but this database was used with the key \w{8}\. Copy/,
      ),
    })
    await expect(readFile(join(dataDir, 'secrets.key'))).rejects.toThrow('ENOENT')
  })

  it('that is lost is replaced by `roost local reset-secrets-key`, which counts what must be set again', async () => {
    const dataDir = await dataDirectory()
    await writeFile(join(dataDir, 'secrets.key'), other)
    const [cluster] = await database.prisma.cluster.findMany()
    const sealed = Uint8Array.from([1, 0xde, 0xad, 0xbe, 0xef, ...Array.from({ length: 60 }, () => 0)])
    await database.prisma.storageLogin.create({
      data: { clusterId: cluster?.id ?? 0, authUrl: 'http://swift.example:8080/auth/v1.0', user: 'a:b', key: sealed },
    })
    expect(await roost(dataDir, 'reset-secrets-key')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /now uses the key 0123abcd of .*; 1 secrets need another key and must be set again/,
      ),
    })
    const started = await startControlPlane({ dataDir, env: { DATABASE_URL: database.url } })
    expect(await started.stop()).toBe(0)
  })
})
