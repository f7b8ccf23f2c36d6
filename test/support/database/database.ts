import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { clusterDir, isAlive, migrate, openDatabase, openEmbedded, stopPostmaster } from '@roost/database'
import type { Database } from '@roost/database'
import pg from 'pg'
import { afterAll, inject } from 'vitest'
import type { TestProject } from 'vitest/node'
import { waitTimeoutMs } from '../clock/wait-until.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Socket directory of the PostgreSQL that serves this run; its database `roost` is migrated and empty. */
    databaseHost: string
  }
}

const prefix = 'roost-test-'
const user = 'postgres'

/** Vitest's global set-up: one server for the whole run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeLeftovers()
  const dataDir = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
  const server = await openEmbedded(dataDir, { log: () => {}, settings: ['fsync=off', 'max_connections=300'] })
  await migrate(server.connection, console.error)
  project.provide('databaseHost', server.connection.host)
  return async () => {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Servers of runs that were killed: the name of the directory tells whose it was. */
async function removeLeftovers(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(prefix))
  for (const name of names) {
    const pid = Number(name.slice(prefix.length).split('-')[0])
    if (!pid || isAlive(pid)) continue
    await stopPostmaster(clusterDir(join(tmpdir(), name)), 2_000)
    await rm(join(tmpdir(), name), { recursive: true, force: true })
  }
}

export interface TestDatabase extends Database {
  /** For `openDatabase`, or for a process of its own. */
  readonly connection: { readonly host: string; readonly user: string; readonly database: string }
  /** The same as a URL, for `DATABASE_URL`. */
  readonly url: string
  /** Closes the connections and removes the database. Call it in `afterAll`. */
  drop(): Promise<void>
}

/** A database of this suite's own: migrated, or empty as PostgreSQL makes it. */
export async function createTestDatabase(template: 'roost' | 'template1' = 'roost'): Promise<TestDatabase> {
  const host = inject('databaseHost')
  const name = `t_${randomUUID().replaceAll('-', '')}`
  await copyTemplate(host, name, template)
  const connection = { host, user, database: name }
  const database = openDatabase(connection)
  return {
    ...database,
    connection,
    url: `postgresql://${user}@localhost/${name}?host=${encodeURIComponent(host)}`,
    async drop() {
      await database.close()
      await administer(host, `drop database ${name} with (force)`)
    },
  }
}

/** Creates a database for the calling file, which awaits it before its tests; it is removed after them. */
export async function useDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  afterAll(() => database.drop())
  return database
}

/** Whoever is at the template, such as autovacuum, gets 5 s from PostgreSQL to leave it. */
async function copyTemplate(host: string, name: string, template: string): Promise<void> {
  for (const deadline = Date.now() + waitTimeoutMs; ; await sleep(100)) {
    try {
      return await administer(host, `create database ${name} template ${template}`)
    } catch (error) {
      const isInUse = (error as { readonly code?: string }).code === '55006'
      if (!isInUse || Date.now() > deadline) throw error
    }
  }
}

async function administer(host: string, sql: string): Promise<void> {
  const client = new pg.Client({ host, user, database: 'postgres' })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
