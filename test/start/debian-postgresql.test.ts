import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { controlPlaneEnv, startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { startDebianPostgresql } from '../support/database/debian-postgresql.js'
import type { DebianPostgresql } from '../support/database/debian-postgresql.js'
import { startPgbouncer } from '../support/database/pgbouncer.js'
import { runRoost } from '../support/programs/processes.js'
import { request } from '../support/http/request.js'

const onSystem = process.env['ROOST_TEST_SYSTEM'] === '1' && process.getuid?.() === 0

// Needs root and the package `postgresql`.
describe.skipIf(!onSystem)('a PostgreSQL from Debian, by DATABASE_URL', { timeout: 180_000 }, () => {
  let server: DebianPostgresql
  let roost: ControlPlaneProcess
  let dataDir = ''

  beforeAll(async () => {
    server = await startDebianPostgresql()
    dataDir = await mkdtemp(join(tmpdir(), 'roost-debian-'))
    roost = await startControlPlane({ dataDir, env: { DATABASE_URL: server.url } })
  })
  afterAll(async () => {
    await roost.stop()
    await server.remove()
    await rm(dataDir, { recursive: true })
  })

  it('is migrated and served', async () => {
    expect(await request(roost, '/api/v1/clusters/')).toMatchObject({ body: { objects: [{ name: 'default' }] } })
    expect(roost.output()).not.toContain('s3cr3t')
    expect(roost.output()).toMatch(/^ {2}database {5}PostgreSQL 1\d\.\d+, yours$/m)
  })

  it('may be restarted under Roost: 503 with Retry-After meanwhile, then all is as before', async () => {
    await server.stop()
    const asked = request(roost, '/api/v1/clusters/')
    await asked.catch(() => {}) // whatever it answers, the next test needs the server
    await server.start()
    const away = await asked
    expect(away).toMatchObject({ status: 503, headers: { 'retry-after': expect.stringMatching(/^\d+$/) } })
    expect(JSON.stringify(away.body)).not.toContain('127.0.0.1')
    let status = 503
    for (const deadline = Date.now() + 90_000; status === 503 && Date.now() < deadline; await sleep(50))
      ({ status } = await request(roost, '/api/v1/clusters/'))
    expect(status).toBe(200)
  })

  it.each([
    [
      'a wrong password',
      (url: string) => url.replace('s3cr3t', 'wr0ng'),
      'rejects the user name or the password: check both in DATABASE_URL.',
    ],
    [
      'no password',
      (url: string) => url.replace(':s3cr3t', ''),
      'requires a password: add the password to DATABASE_URL',
    ],
  ])('refuses %s with the reason', async (_what, urlOf, sentence) => {
    const other = await mkdtemp(join(tmpdir(), 'roost-debian-'))
    const env = controlPlaneEnv(other, { DATABASE_URL: urlOf(server.url) })
    const { code, stderr } = await runRoost(['local', 'serve'], env)
    await rm(other, { recursive: true })
    expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)])
    expect(stderr).not.toContain('wr0ng')
  })

  it('is refused behind a pooler in transaction mode, and used behind one in session mode', async () => {
    await roost.stop()
    const [transaction, session] = [
      await startPgbouncer(server.url, 'transaction'),
      await startPgbouncer(server.url, 'session'),
    ]
    onTestFinished(async () => void (await Promise.all([transaction.stop(), session.stop()])))
    const env = controlPlaneEnv(dataDir, { DATABASE_URL: transaction.url })
    const { code, stderr } = await runRoost(['local', 'serve'], env)
    expect([code, stderr]).toEqual([1, expect.stringContaining('is behind a pooler in transaction mode')])
    roost = await startControlPlane({ dataDir, env: { DATABASE_URL: session.url } })
    expect(await request(roost, '/readyz')).toMatchObject({ status: 200 })
    await roost.stop()
  })

  it('outlives Roost', async () => {
    await roost.stop()
    roost = await startControlPlane({ dataDir, env: { DATABASE_URL: server.url } })
    expect(roost.output()).not.toContain('installing PostgreSQL')
  })
})
