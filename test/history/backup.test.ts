import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exitCodes } from '@roost/control-plane/dist/cli/terminal/exit-codes.js'
import { dumpDatabase } from '@roost/database'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { insertNodes } from '../support/agents/nodes.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { createTestDatabase } from '../support/database/database.js'
import type { TestDatabase } from '../support/database/database.js'
import { controlPlaneEnv, startControlPlane } from '../support/http/control-plane.js'
import { request } from '../support/http/request.js'
import { shareApi } from '../support/http/shared-api.js'
import { runRoost } from '../support/programs/processes.js'
import { definitions, historyAgent, windowFrame, windowMs } from './support.js'

const shared = shareApi()
const home = await mkdtemp(join(tmpdir(), 'roost-history-backup-'))
const path = (name: string) => join(home, name)
const dayMs = 86_400_000
/** Five days ago, of which the levels remain, and the last hour. */
const old = Math.floor(Date.now() / dayMs) * dayMs - 5 * dayMs
const recent = Math.floor(Date.now() / windowMs) * windowMs - 3_600_000
const target = await createTestDatabase('template1')
let queries: readonly string[] = []

beforeAll(async () => {
  const { database, context } = shared.api
  const clusterId = await addCluster(database)
  const [node] = await insertNodes(database, clusterId, 1)
  if (node === undefined) throw new Error('No node was inserted.')
  const sender = historyAgent({ ...shared.api, identity: node, metrics: definitions('a', 'b') })
  sender.agent.dial()
  await sender.agent.until(({ welcomed }) => welcomed === 1)
  const starts = [old, recent].flatMap((from) => Array.from({ length: 12 }, (_, i) => from + i * windowMs))
  for (const [index, startMs] of starts.entries())
    await sender.send(windowFrame({ startMs, sequence: index + 1 }), index + 1)
  sender.agent.stop()
  const isMade = async () => {
    await context.history.makeLevels(new AbortController().signal)
    // In the first hour of a day, that of yesterday is made, too.
    const where = { ownerKind: 0, ownerId: node.id, startedAt: { lt: new Date(old + dayMs) } }
    return (await database.prisma.metricHour.count({ where })) === 1
  }
  await vi.waitUntil(isMade, { timeout: waitTimeoutMs })
  const query = (from: number, step: number) => {
    const [start, end] = [from, from + 12 * windowMs].map((ms) => new Date(ms).toISOString())
    return `/api/v1/nodes/${node.id}/metrics/history/?metrics=*&start=${start}&end=${end}&step=${step}`
  }
  queries = [query(recent, 10), query(old, 300), query(old, 3600)]
})
afterAll(async () => {
  await target.drop()
  await rm(home, { recursive: true, force: true })
})

const roost = (database: TestDatabase, dataDir: string, ...args: readonly string[]) =>
  runRoost(['local', ...args], controlPlaneEnv(dataDir, { DATABASE_URL: database.url }))
const backUp = (...args: readonly string[]) =>
  roost(
    shared.api.database,
    shared.api.controlPlane.dataDir,
    'backup',
    ...args.map((arg) => (arg.startsWith('-') ? arg : path(arg))),
  )

const restore = (backup: string, ...force: readonly string[]) =>
  roost(target, path('there'), 'restore', path(backup), ...force)
const rowsOf = async ({ pool }: TestDatabase) => {
  const tables = ['metric_raw', 'metric_5min', 'metric_hour', 'metric_progress']
  // The control plane goes on recording its clusters.
  const ofNodes = (table: string) => pool.query(`select * from ${table} where owner_kind = 0 order by 1, 2, 3`)
  return Promise.all(tables.map(async (table) => (await ofNodes(table)).rows))
}

it('a backup leaves the history out unless it is asked for, and says so', async () => {
  expect((await backUp('without')).stdout).toMatch(
    /^backed up \d+ rows and \d+ files to \S+without, without the history of metrics \(\d+\.\d kB; --with-history includes it\)\n$/,
  )
  expect((await backUp('with', '--with-history')).stdout).toMatch(/ to \S+with, with the history of metrics\n$/)
})

it('a restore has the history of the backup, in all levels, in an empty database and in place of another', async () => {
  const source = await rowsOf(shared.api.database)
  expect(await restore('with')).toMatchObject({ stderr: '', stdout: expect.stringMatching(/, with the history of me/) })
  expect(await rowsOf(target)).toEqual(source)
  const empty = await restore('without', '--force')
  expect(empty).toMatchObject({ stderr: '', stdout: expect.stringMatching(/, without the history of metrics\n$/) })
  expect(await rowsOf(target)).toEqual([[], [], [], []])
  expect(await restore('with', '--force')).toMatchObject({ code: 0, stderr: '' })
  expect(await rowsOf(target)).toEqual(source)
})

/** What a version that does not serve may have done: a node with the id that the next one gets, and names of its own. */
const changeAsNewVersion = async () => {
  const next = `(select last_value + 1 from nodes_id_seq)`
  await target.pool.query(`
    insert into metric_raw select owner_kind, ${next}, started_at, shift_ms, columns_id, head, data from metric_raw where owner_kind = 0;
    insert into metric_progress select 0, ${next}, level, until from metric_progress where owner_kind = 0;
    insert into metric_node_columns select ${next}, catalogue, columns_id from metric_node_columns;
    insert into metric_names (name, unit) values ('of.a.new.version', 'count');
    alter table nodes add column of_a_new_version integer;
    create table of_a_new_version (id integer primary key)`)
}

it('a restore can keep the history that is there, but that of what is newer than the backup', async () => {
  const source = await rowsOf(shared.api.database)
  const others = async () => {
    const names = await target.pool.query('select * from metric_names order by id')
    const columns = await target.pool.query('select * from metric_node_columns order by 1, 2')
    return [names.rows, columns.rows] as const
  }
  const [, columns] = await others()
  await changeAsNewVersion()
  const [names] = await others()
  expect(await restore('without', '--force', '--keep-history')).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(/, and kept the history of metrics\n$/),
  })
  expect(await rowsOf(target)).toEqual(source)
  expect(await others()).toEqual([names, columns])
  const { rows } = await target.pool.query(
    `insert into metric_names (name, unit) values ('next', 'count') returning id > ${names.at(-1).id} as "isNew"`,
  )
  expect(rows).toEqual([{ isNew: true }])
  expect((await target.pool.query("select to_regclass('of_a_new_version') as name")).rows).toEqual([{ name: null }])
})

it('a restore does not give the history of a node or cluster to another one that has its id', async () => {
  const { rows } = await target.pool.query('update nodes set uuid = gen_random_uuid() returning cluster_id')
  const [{ cluster_id: clusterId }] = rows
  await target.pool.query(`
    delete from metric_raw where owner_kind = 1;
    insert into clusters (uuid, name) values (gen_random_uuid(), 'first'), (gen_random_uuid(), 'second');
    insert into metric_raw select 1, c.id, started_at, shift_ms, columns_id, head, data from metric_raw, clusters c`)
  const ofClusters = async () =>
    (await target.pool.query('select distinct owner_id as id from metric_raw where owner_kind = 1 order by 1')).rows
  expect((await ofClusters()).length).toBeGreaterThan(2)
  expect(await restore('without', '--force', '--keep-history')).toMatchObject({ code: 0, stderr: '' })
  expect(await rowsOf(target)).toEqual([[], [], [], []])
  expect((await target.pool.query('select * from metric_node_columns')).rows).toEqual([])
  expect(await ofClusters()).toContainEqual({ id: clusterId })
  expect(await ofClusters()).toEqual((await target.pool.query('select id from clusters order by id')).rows)
  expect(await restore('with', '--force')).toMatchObject({ code: 0, stderr: '' })
})

it.each([
  ['has another form', 'alter table metric_hour add column of_a_new_version integer', 'has another form'],
  ['lacks a table', 'alter table metric_unsent rename to metric_not_sent', '"metric_unsent" does not exist'],
  ['has owners of another form', 'alter table nodes rename uuid to number', 'has another form'],
  ['is of another installation', "update installation set installed_at = '2020-01-01'", 'is not of the installation'],
])('a restore does not keep a history that %s, and changes nothing', async (_what, change, reason) => {
  await target.pool.query(change)
  const before = await rowsOf(target)
  const { code, stderr } = await restore('without', '--force', '--keep-history')
  expect([code, stderr]).toEqual([exitCodes.historyDiffers, expect.stringContaining(reason)])
  expect(stderr).toContain('Restore it without --keep-history.')
  expect(await rowsOf(target)).toEqual(before)
  expect(await restore('with', '--force')).toMatchObject({ code: 0, stderr: '' })
})

it('a restore does not lose the level of a history that has another name', async () => {
  const before = await rowsOf(target)
  expect(before.every((rows) => rows.length > 0)).toBe(true)
  await target.pool.query('alter table metric_hour rename to metric_hours')
  const { code, stderr } = await restore('without', '--force', '--keep-history')
  await target.pool.query('alter table metric_hours rename to metric_hour')
  expect([code, stderr]).toEqual([
    exitCodes.historyDiffers,
    expect.stringContaining('"metric_hour" does not exist). Restore it without --keep-history.'),
  ])
  expect(await rowsOf(target)).toEqual(before)
})

it('a restore of a backup with history has no other to keep', async () => {
  const { code, stderr } = await restore('with', '--force', '--keep-history')
  expect([code, stderr]).toEqual([2, expect.stringContaining('has a history of metrics. Leave out --keep-history.')])
})

it('a control plane with the restored database answers the same history', async () => {
  const before = await Promise.all(queries.map(async (query) => (await shared.get(query)).body))
  expect(before.map(({ meta }) => meta.level)).toEqual(['raw', '5min', 'hour'])
  const started = await startControlPlane({ dataDir: path('there'), env: { DATABASE_URL: target.url } })
  const after = await Promise.all(queries.map(async (query) => (await request(started, query)).body))
  await started.stop()
  expect(after).toEqual(before)
})

it('restored partitions are those of the source, with their settings', async () => {
  const describe = `select c.relname, pg_get_expr(c.relpartbound, c.oid) as bound, c.reloptions, s.reloptions as toast
    from pg_class c join pg_inherits i on i.inhrelid = c.oid left join pg_class s on s.oid = c.reltoastrelid
    where c.relname like 'metric%' and c.relkind = 'r' order by 1`
  const partitionsOf = async ({ pool }: TestDatabase) => (await pool.query(describe)).rows
  const source = await partitionsOf(shared.api.database)
  expect(source.length).toBeGreaterThan(3)
  expect(await partitionsOf(target)).toEqual(expect.arrayContaining(source))
})

it('a backup stops neither intake nor retention: partitions are made and dropped while it reads', async () => {
  const { connection, pool } = shared.api.database
  let table = ''
  let changes = 0
  const change = async () => {
    changes += 1
    await pool.query(`set lock_timeout = '2s'; drop table if exists metric_raw_2199;
      create table metric_raw_2199 partition of metric_raw for values from ('2199-01-01') to ('2200-01-01');
      drop table metric_raw_2199; reset lock_timeout`)
  }
  const ignore = async () => {}
  const sink = {
    schema: ignore,
    partition: ignore,
    sequence: ignore,
    table: async (name: string) => void (table = name),
    rows: () => (table === 'metric_raw' ? change() : ignore()),
  }
  expect(await dumpDatabase(connection, sink, { withHistory: true })).toBeGreaterThan(0)
  expect(changes).toBeGreaterThan(0)
})
