import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../support/database/database.js'
import { controlPlaneEnv, startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { runRoost } from '../support/programs/processes.js'

const database = await createTestDatabase()
let roost: ControlPlaneProcess
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roost-doctor-'))
  roost = await startControlPlane({ env: { DATABASE_URL: database.url } })
})
afterAll(async () => {
  await roost?.stop()
  await database.drop()
  await rm(folder, { recursive: true })
})

interface Findings {
  readonly code: number | string | null
  /** `verdict: message` of each check, in order. */
  readonly checks: Readonly<Record<string, string>>
}

async function doctor(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<Findings> {
  const { code, stdout } = await runRoost(['doctor', '-o', 'json'], controlPlaneEnv(dataDir, env))
  const findings = JSON.parse(stdout) as { check: string; verdict: string; message: string }[]
  return { code, checks: Object.fromEntries(findings.map((one) => [one.check, `${one.verdict}: ${one.message}`])) }
}

/** The variables of a client on another machine. */
const remote = () => ({ ROOST_URL: roost.url, ROOST_API_KEY: roost.key })
const ca = () => ({ ROOST_CA: join(roost.dataDir, 'ca.pem') })

describe('roost doctor', () => {
  it('checks the process that runs, whatever the variables of its caller say', async () => {
    const { code, checks } = await doctor(roost.dataDir, { ROOST_LISTEN: '0.0.0.0:1', DATABASE_URL: '' })
    expect(code).toBe(0)
    expect(checks).toMatchObject({
      address: `ok: ${roost.url} answers`,
      certificate: expect.stringMatching(/^ok: is trusted and valid for \d+ days$/),
      database: 'ok: answers',
      release: expect.stringMatching(/^ok: \d+\.\d+\.\d+/),
      API: 'ok: accepts the key; 1 cluster',
      reach: expect.stringMatching(/^warn: listens on loopback only/),
    })
  })

  it('checks from another machine what a client sees', async () => {
    const { code, checks } = await doctor('/nonexistent', { ...remote(), ...ca() })
    expect(code).toBe(0)
    expect(Object.keys(checks)).toEqual([
      'address',
      'certificate',
      'database',
      'release',
      'key',
      'API',
      'nodes',
      'alerts',
    ])
  })

  it('names the authority that a client does not trust, once', async () => {
    const { code, checks } = await doctor('/nonexistent', remote())
    expect(code).toBe(1)
    expect(checks).toEqual({
      address: `fail: The certificate of ${roost.url} is signed by an authority that this machine does not trust. Set ROOST_CA to a copy of ca.pem from the data directory of the control plane.`,
    })
  })

  it('warns until a backup was made, and again when that is two days old', async () => {
    const backup = async () => (await doctor(roost.dataDir)).checks['backup']
    expect(await backup()).toMatch(/^warn: no backup was made yet/)
    const env = controlPlaneEnv(roost.dataDir, { DATABASE_URL: database.url })
    expect(await runRoost(['local', 'backup', join(folder, 'backup')], env)).toMatchObject({ code: 0 })
    expect(await backup()).toMatch(/^ok: \S+\/backup of 20/)
    const created = new Date(Date.now() - 50 * 3_600_000).toISOString()
    await writeFile(join(roost.dataDir, 'last-backup.json'), JSON.stringify({ path: '/b', created }))
    expect(await backup()).toBe(`warn: /b of ${created} is 2 days old. Make a new one.`)
  })

  it('warns until a copy of a backup was made, and again when that is two days old', async () => {
    const copy = async (env: Readonly<Record<string, string>>) =>
      (await doctor(roost.dataDir, env)).checks['backup copy']
    const created = new Date().toISOString()
    await writeFile(join(roost.dataDir, 'last-backup.json'), JSON.stringify({ path: join(folder, 'b'), created }))
    expect(await copy({})).toMatch(/^warn: backups stay on this machine\. Set ROOST_BACKUP_COPY /)
    const env = { ROOST_BACKUP_COPY: 'scp "$1" elsewhere:' }
    expect(await copy(env)).toMatch(/^warn: no backup was copied yet, or \S+last-copy cannot be read \(ENOENT\)/)
    await writeFile(join(folder, 'last-copy'), `${created}\n`)
    expect(await copy(env)).toBe(`ok: the last copy is of ${created}`)
    await writeFile(join(folder, 'last-copy'), `${new Date(Date.now() - 50 * 3_600_000).toISOString()}\n`)
    expect(await copy(env)).toMatch(/^warn: the last copy, of 20\S+, is 2 days old/)
  })

  it('checks the port and the database that the next start of a stopped one needs', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    const newer = await createTestDatabase()
    await newer.prisma.$executeRaw`
      insert into _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
      values ('x', 'x', '29991231000000_from_the_future', now(), now(), 1)`
    const { code, checks } = await doctor(folder, { ROOST_LISTEN: `127.0.0.1:${port}`, DATABASE_URL: newer.url })
    other.close()
    await newer.drop()
    expect(code).toBe(1)
    expect(checks).toMatchObject({
      process: expect.stringMatching(/^warn: Roost does not run on this data directory/),
      port: expect.stringMatching(/^fail: Cannot listen on 127\.0\.0\.1:\d+: the port is in use/),
      database: expect.stringMatching(
        /^fail: is newer than this release of Roost \(it has the migrations 29991231000000_from_the_future\)/,
      ),
    })
    const unreachable = { DATABASE_URL: 'postgresql://roost:S3CR3T@127.0.0.1:1/roost' }
    expect((await doctor(folder, unreachable)).checks['database']).toMatch(/^fail: .* cannot be reached .*ECONNREFUSED/)
    const ready = await doctor(folder, { DATABASE_URL: database.url })
    expect(ready).toMatchObject({ code: 0, checks: { database: 'ok: answers, and has the schema of this release' } })
  })
})

describe('a command from another machine', () => {
  it('needs the authority in ROOST_CA, and says so', async () => {
    const list = (env: Readonly<Record<string, string>>) =>
      runRoost(['cluster', 'list'], controlPlaneEnv('/nonexistent', { ...remote(), ...env }))
    expect(await list(ca())).toMatchObject({ code: 0, stdout: expect.stringContaining('default') })
    expect(await list({})).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Set ROOST_CA to a copy of ca.pem'),
    })
    expect(await list({ ROOST_CA: '/nowhere' })).toMatchObject({
      code: 2,
      stderr: 'roost: Cannot read the file /nowhere of ROOST_CA (ENOENT).\n',
    })
  })
})
