import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '@roost/database'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { expectPromised } from '../support/clock/promised.js'
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

/** The schema of a database, and what migrations change of its rows. */
async function contentOf({ pool }: TestDatabase) {
  const rows = async (query: string) =>
    (await pool.query<{ readonly text: string }>(query)).rows.map(({ text }) => text)
  return {
    columns: await rows(
      `select concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) as text
       from information_schema.columns where table_schema = 'public' order by 1`,
    ),
    functions: await rows(
      `select proname || prosrc as text from pg_proc where pronamespace = 'public'::regnamespace order by 1`,
    ),
    clusters: await rows('select clusters::text as text from clusters order by 1'),
    migrations: await rows('select migration_name as text from _prisma_migrations order by 1'),
  }
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
    expectPromised(`the migration of ${rows} rows`, performance.now() - began, 60_000)
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

  it('is as before when the last of several migrations fails, at this start and at the next', async () => {
    const database = await earlierRelease()
    const before = await contentOf(database)
    const broken = await mkdtemp(join(tmpdir(), 'roost-broken-'))
    await cp(migrationsDir, broken, { recursive: true })
    await mkdir(join(broken, '29990101000000_broken'))
    const script = "update clusters set name = name || '-half'; alter table no_such_table add x int;"
    await writeFile(join(broken, '29990101000000_broken/migration.sql'), script)
    for (let start = 1; start <= 2; start += 1) {
      await expect(migrate(database.connection, quiet, broken)).rejects.toThrow(
        /the schema of this release: .*No such table: no_such_table$/,
      )
      expect(await contentOf(database)).toEqual(before)
    }
    const { migrations } = before
    expect([migrations.at(-1), migrations.length]).toEqual([
      lastOfEarlier,
      (await migrationNames()).indexOf(lastOfEarlier) + 1,
    ])
    // The release that mends the migration finds nothing to repair.
    expect(await migrate(database.connection, quiet)).toHaveLength((await migrationNames()).length - migrations.length)
    await rm(broken, { recursive: true })
    await database.drop()
  })

  it('is refused when an earlier release has left a migration that failed', async () => {
    const database = await createTestDatabase()
    await database.pool.query(
      `insert into _prisma_migrations (id, checksum, migration_name) values ('1', 'x', '29990101000000_broken')`,
    )
    await expect(migrate(database.connection, quiet)).rejects.toThrow(
      /^A migration failed earlier \(29990101000000_broken\)\. Restore a backup that was made before it/,
    )
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
