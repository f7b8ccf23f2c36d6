import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '@roost/database'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { repository, startControlPlane } from '../support/http/control-plane.js'
import { createTestDatabase } from '../support/database/database.js'
import type { TestDatabase } from '../support/database/database.js'
import { restoreEarlierRelease } from '../support/database/earlier-release.js'

const migrationsDir = join(repository, 'prisma/migrations')
/** The newest of 0.1.0. */
const lastOfEarlier = '20261120230721_node_problems'
const quiet = () => {}

/** A database of 0.1.0 with data. */
async function earlierRelease(): Promise<TestDatabase> {
  const database = await createTestDatabase('template1')
  const dataDir = await mkdtemp(join(tmpdir(), 'roost-earlier-'))
  await restoreEarlierRelease(dataDir, database.url)
  await rm(dataDir, { recursive: true })
  return database
}

async function migrationNames(): Promise<readonly string[]> {
  const names = await readdir(migrationsDir)
  return names.filter((name) => !name.endsWith('.toml')).toSorted()
}

describe('the database of an earlier release', () => {
  let database: TestDatabase

  beforeAll(async () => {
    database = await earlierRelease()
  })
  afterAll(() => database.drop())

  it('is brought to this release once, with everything that it holds', async () => {
    expect(await migrate(database.connection, quiet)).toEqual(
      (await migrationNames()).filter((name) => name > lastOfEarlier),
    )
    expect(await migrate(database.connection, quiet)).toEqual([])
    const device = await database.prisma.device.findFirstOrThrow({
      where: { name: 'd0' },
      include: {
        usage: true,
        cluster: true,
        node: { include: { role: true } },
        policies: { include: { policy: true } },
      },
    })
    expect(device).toMatchObject({
      usage: { availableBytes: 2_000_000_000_000n },
      cluster: { name: 'prod' },
      node: { hostname: 'storage-1', role: { runsObject: true } },
      policies: [{ policy: { name: 'gold' } }],
    })
    expect(await database.prisma.auditEvent.count()).toBe(33)
  })

  it('is refused by the earlier program from then on', async () => {
    const earlier = await mkdtemp(join(tmpdir(), 'roost-earlier-'))
    await cp(migrationsDir, earlier, { recursive: true })
    await rm(join(earlier, (await migrationNames()).at(-1) ?? ''), { recursive: true })
    await expect(migrate(database.connection, quiet, earlier)).rejects.toMatchObject({
      code: 'newer',
      message: expect.stringMatching(
        /^The database is newer than this release of Roost \(it has the migrations .*\)\. Start the release/,
      ),
    })
    await rm(earlier, { recursive: true })
  })
})

describe('a database with many rows', () => {
  const rows = process.env['ROOST_TEST_LONG'] === '1' ? 1_000_000 : 20_000

  it(`is migrated within a minute (${rows} rows)`, { timeout: 600_000 }, async () => {
    const database = await earlierRelease()
    await database.pool.query(
      `insert into audit_events (id, operator, address, request_id, action, resource, resource_id, changes)
       select 1000 + n, 'admin', '127.0.0.1', n::text, 'change', 'nodes', 1, '{}' from generate_series(1, ${rows}) n`,
    )
    await database.pool.query(
      `insert into devices (id, cluster_id, node_id, name, status, agent_key)
       select 1000 + n, 2, 2, 'd' || n, 'ok', 'k' || n from generate_series(1, ${rows}) n`,
    )
    const began = performance.now()
    await migrate(database.connection, quiet)
    expect(performance.now() - began).toBeLessThan(60_000)
    expect(await database.prisma.device.count()).toBe(rows + 3)
    await database.drop()
  })
})

describe('a database that cannot be migrated', () => {
  it('is left alone when it holds tables of others', async () => {
    const database = await createTestDatabase('template1')
    await database.pool.query('create table clusters (id int)')
    await expect(migrate(database.connection, quiet)).rejects.toThrow(
      /contains tables of another program\. Create a separate database/,
    )
    await database.drop()
  })

  it('reports a migration that fails at this start and at the next', async () => {
    const database = await createTestDatabase()
    const broken = await mkdtemp(join(tmpdir(), 'roost-broken-'))
    await cp(migrationsDir, broken, { recursive: true })
    await mkdir(join(broken, '29990101000000_broken'))
    await writeFile(join(broken, '29990101000000_broken/migration.sql'), 'alter table no_such_table add x int;')
    await expect(migrate(database.connection, quiet, broken)).rejects.toThrow(
      /the schema of this release: .*No such table: no_such_table$/,
    )
    await expect(migrate(database.connection, quiet, broken)).rejects.toThrow(
      /^A migration failed earlier \(29990101000000_broken\)\. Restore a backup that was made before it/,
    )
    await rm(broken, { recursive: true })
    await database.drop()
  })
})

describe('two control planes that start together on an empty database', () => {
  it('one serves, migrated it and made the first operator; the other ends with the reason', async () => {
    const database = await createTestDatabase('template1')
    const start = () => startControlPlane({ env: { DATABASE_URL: database.url, ROOST_LOCK_WAIT: '0' } })
    const both = await Promise.allSettled([start(), start()])
    const [serving, ...more] = both.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
    onTestFinished(async () => void (await serving?.stop()))
    expect(more).toEqual([])
    expect(serving?.output()).toContain('to the schema of this release')
    expect(serving?.key).toMatch(/^admin:/)
    const failures = both.flatMap((start) => (start.status === 'rejected' ? [String(start.reason)] : []))
    expect(failures).toEqual([expect.stringContaining('Another Roost (process')])
    await serving?.stop()
    expect(await database.prisma.operator.count()).toBe(1)
    expect(await database.prisma.cluster.findMany({ select: { name: true } })).toEqual([{ name: 'default' }])
    await database.drop()
  })
})
