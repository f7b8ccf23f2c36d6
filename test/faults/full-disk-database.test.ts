import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { embeddedConnection } from '@roost/database'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startDebianPostgresql } from '../support/database/debian-postgresql.js'
import { controlPlaneEnv, startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { request } from '../support/http/request.js'
import { runRoost } from '../support/programs/processes.js'
import { mountSmallDisk } from '../support/programs/small-disk.js'
import type { SmallDisk } from '../support/programs/small-disk.js'

const full = 'The disk of the database is full: nothing can be changed until there is free space.'
const isEnabled = process.getuid?.() === 0 && process.env['ROOST_TEST_SYSTEM'] === '1'

describe.skipIf(!isEnabled)('a first start on a full disk (as root, with ROOST_TEST_SYSTEM=1)', () => {
  it('ends with the space that it needs, and leaves nothing behind', async () => {
    const disk = await mountSmallDisk('20m')
    onTestFinished(() => disk.remove())
    const dataDir = join(disk.path, 'data')
    const { code, stderr } = await runRoost(['local', 'serve'], controlPlaneEnv(dataDir))
    expect([code, stderr]).toEqual([
      1,
      `roost: The disk of ${dataDir} has 20 MB available, and the first start needs 150 MB. Free some space, or set ROOST_DATA_DIR to a directory on another disk.\n`,
    ])
    expect(await readdir(disk.path)).toEqual([])
  })
})

describe.skipIf(!isEnabled)('a control plane on a full disk (as root, with ROOST_TEST_SYSTEM=1)', () => {
  let disk: SmallDisk
  let roost: ControlPlaneProcess
  beforeAll(async () => {
    disk = await mountSmallDisk('256m')
    roost = await startControlPlane({ dataDir: join(disk.path, 'data') })
  })
  afterAll(async () => {
    await roost?.stop()
    await disk.remove()
  })

  const get = (path: string) => request(roost, path)
  let users = 0
  const addUser = () => {
    const body = { cluster: 1, user: `user${(users += 1)}`, password: 'x'.repeat(900) }
    return request(roost, '/api/v1/users/', body, 'POST')
  }
  const fullMetric = async () => /^roost_database_disk_full (\d)$/m.exec(String((await get('/metrics')).body))?.[1]

  it('reads, refuses writes, names the disk everywhere, and writes again when there is space', async () => {
    expect([(await addUser()).status, await fullMetric()]).toEqual([201, '0'])
    await writeFile(join(disk.path, 'fill'), Buffer.alloc(256 * 2 ** 20)).catch(() => {})

    let accepted = 1
    let answer = await addUser()
    // What fits into pages that exist is accepted.
    for (; answer.status === 201 && accepted < 2_000; accepted++) answer = await addUser()
    expect([answer.status, answer.body, answer.headers['retry-after']]).toEqual([503, { error: full }, '5'])
    expect((await get('/readyz')).body).toEqual({ status: 'degraded', reason: full })
    expect(await get('/api/v1/users/?limit=1')).toMatchObject({
      status: 200,
      body: { meta: { total_count: accepted } },
    })
    expect(await fullMetric()).toBe('1')
    const env = { ROOST_DATA_DIR: roost.dataDir, PATH: process.env['PATH'] ?? '' }
    expect((await get('/api/v1/users/?limit=1')).status).toBe(200)
    expect((await get('/api/v1/system/')).body).toMatchObject({ database: { is_disk_full: true } })
    expect((await runRoost(['status'], env)).stdout).toMatch(new RegExp(`^${full}\n`))
    expect((await runRoost(['doctor'], env)).stdout).toMatch(new RegExp(`^database +fail +${full}$`, 'm'))

    await rm(join(disk.path, 'fill'))
    // Found without a request.
    await expect.poll(fullMetric, { timeout: 30_000 }).toBe('0')
    expect((await get('/readyz')).body).toEqual({ status: 'ok' })
    expect((await addUser()).status).toBe(201)
    const stored = await get('/api/v1/users/?limit=1')
    expect(stored.body).toMatchObject({ meta: { total_count: accepted + 1 } })
  })
})

/** Writes to the log of PostgreSQL until its server has ended for it. */
async function fillLog(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(connection)
  client.on('error', () => {}) // its server ends
  await client.connect()
  const megabytes = "select pg_logical_emit_message(false, 'test', repeat('x', 1000000)) from generate_series(1, 200)"
  await expect(client.query(megabytes)).rejects.toThrow(/No space left on device|Connection terminated/)
  await client.end().catch(() => {})
}

describe.skipIf(!isEnabled)('a PostgreSQL without space for its log (as root, with ROOST_TEST_SYSTEM=1)', () => {
  it('that Roost runs ends, is started again until there is space, and is said to have a full disk', async () => {
    const disk = await mountSmallDisk('256m')
    const roost = await startControlPlane({ dataDir: join(disk.path, 'data') })
    onTestFinished(async () => {
      await roost.stop()
      await disk.remove()
    })
    await writeFile(join(disk.path, 'fill'), Buffer.alloc(256 * 2 ** 20)).catch(() => {})
    // One that was allowed to read them is served without the database.
    expect((await request(roost, '/metrics')).status).toBe(200)
    await fillLog(embeddedConnection(roost.dataDir))
    const ready = () => request(roost, '/readyz')
    await expect.poll(ready, { timeout: 60_000 }).toMatchObject({ status: 503, body: { error: full } })
    expect(await request(roost, '/metrics')).toMatchObject({
      status: 200,
      body: expect.stringMatching(/^roost_database_disk_full 1$/m),
    })
    // Between two starts of the server there is not even a socket.
    for (let i = 0; i < 50; i++) {
      expect(await request(roost, '/api/v1/clusters/')).toMatchObject({ status: 503, body: { error: full } })
      await sleep(50)
    }
    expect(roost.output()).toMatch(/could not start the embedded database, .*No space left on device\)\./)
    await rm(join(disk.path, 'fill'))
    await expect.poll(async () => (await ready()).body, { timeout: 60_000 }).toEqual({ status: 'ok' })
  })

  it('elsewhere is awaited, and used again when it runs again', async () => {
    const disk = await mountSmallDisk('80m')
    const server = await startDebianPostgresql({ logDisk: disk.path })
    const roost = await startControlPlane({ env: { DATABASE_URL: server.url } })
    onTestFinished(async () => {
      await roost.stop()
      await server.remove()
      await disk.remove()
    })
    await writeFile(join(disk.path, 'fill'), Buffer.alloc(80 * 2 ** 20)).catch(() => {})
    await fillLog({ connectionString: server.adminUrl })
    const list = () => request(roost, '/api/v1/clusters/')
    expect(await list()).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
    await rm(join(disk.path, 'fill'))
    await server.stop().catch(() => {}) // it may have ended by now
    await server.start()
    await expect.poll(async () => (await list()).status, { timeout: 60_000 }).toBe(200)
  })
})
