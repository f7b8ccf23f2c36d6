import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { controlPlaneEnv } from '../support/http/control-plane.js'
import { createTestDatabase } from '../support/database/database.js'

import { processesNaming, runRoost } from '../support/programs/processes.js'
import type { ProcessResult } from '../support/programs/processes.js'

const database = await createTestDatabase()
let dataDir: string

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'roost-fail-'))
})
afterEach(() => rm(dataDir, { recursive: true }))
afterAll(async () => {
  await database.pool.query('drop role if exists nobody')
  await database.drop()
})

/** Whatever the reason, nothing stays behind that runs. */
async function serve(
  env: Readonly<Record<string, string>>,
): Promise<ProcessResult & { readonly left: readonly number[] }> {
  const ended = await runRoost(['local', 'serve'], controlPlaneEnv(dataDir, { DATABASE_URL: database.url, ...env }))
  return { ...ended, left: processesNaming(dataDir) }
}

describe('wrong variables', () => {
  it('are listed all at once with exit code 2, and nothing is started', async () => {
    const { code, stderr, stdout } = await serve({
      ROOST_LISTEN: '8443',
      ROOST_TLS: 'on',
      DATABASE_URL: 'localhost',
      ROOST_DATA: '/x',
    })
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^roost: Unknown variable ROOST_DATA\. /),
      'roost: ROOST_LISTEN must be HOST:PORT, such as 127.0.0.1:8443, 0.0.0.0:8443 or [::1]:8443.',
      'roost: ROOST_TLS must be auto, files or off.',
      'roost: DATABASE_URL must be a URL such as postgresql://user:password@host:5432/roost.',
    ])
    expect(await readdir(dataDir)).toEqual([])
  })
})

it('leaves the database of others and no process of its own behind', async () => {
  const { left } = await serve({ ROOST_LISTEN: '192.0.2.1:1', DATABASE_URL: '' })
  expect(left).toEqual([])
})

describe('a start that cannot succeed says in one sentence what to do, with an exit code for a supervisor', () => {
  it('when the port is in use, before a database is made for nothing', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    const { code, stderr } = await serve({
      ROOST_LISTEN: `127.0.0.1:${port}`,
      DATABASE_URL: '',
      ROOST_LOG_LEVEL: 'error',
    })
    other.close()
    expect(await readdir(dataDir)).toEqual([])
    expect(stderr).toBe(
      `roost: Cannot listen on 127.0.0.1:${port}: the port is in use. Stop the program that uses it, or set ROOST_LISTEN to another port.\n`,
    )
    expect(code).toBe(4)
  })

  it('when the data directory cannot be written', async () => {
    await writeFile(join(dataDir, 'file'), '')
    const path = join(dataDir, 'file/data')
    const { code, stderr } = await serve({ ROOST_DATA_DIR: path })
    expect(stderr).toBe(
      `roost: Cannot write the data directory ${path} (a part of its path is a file, not a directory). Set ROOST_DATA_DIR to another directory, or give this account access to this one.\n`,
    )
    expect(code).toBe(1)
  })

  it('when the data directory lies where none can be made', async () => {
    const { code, stderr } = await serve({ ROOST_DATA_DIR: '/proc/roost/data' })
    expect(stderr).toBe(
      'roost: Cannot write the data directory /proc/roost/data (its path cannot be created). Set ROOST_DATA_DIR to another directory, or give this account access to this one.\n',
    )
    expect(code).toBe(1)
  })

  it('when the database cannot be reached, without showing its password', async () => {
    const { code, stderr } = await serve({ DATABASE_URL: 'postgresql://roost:S3CR3T@127.0.0.1:1/roost' })
    expect(stderr).toBe(
      'roost: The database at 127.0.0.1:1/roost cannot be reached (connect ECONNREFUSED 127.0.0.1:1): check DATABASE_URL and that PostgreSQL runs there.\n',
    )
    expect(code).toBe(1)
  })

  it.each([
    [
      'does not let the user in',
      'create role nobody nologin',
      (url: string) => url.replace('//postgres@', '//nobody@'),
      /^roost: PostgreSQL at \S+ rejects the user: check the user name in DATABASE_URL, and that .* The server reports: role "nobody" is not permitted to log in\.\n$/,
    ],
    [
      'has no such database',
      'select 1',
      (url: string) => url.replace(/\/t_\w+\?/, '/nowhere?'),
      /^roost: PostgreSQL at \S+ has no database of this name: create the database, or .* The server reports: database "nowhere" does not exist\.\n$/,
    ],
  ])('when PostgreSQL answers and %s', async (_what, sql, urlOf, sentence) => {
    await database.pool.query(sql)
    const { code, stderr } = await serve({ DATABASE_URL: urlOf(database.url) })
    expect(stderr).toMatch(sentence)
    expect(code).toBe(1)
  })

  it('when the database is newer than the program', async () => {
    const newer = await createTestDatabase()
    await newer.prisma.$executeRaw`
      insert into _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
      values ('x', 'x', '29991231000000_from_the_future', now(), now(), 1)`
    const { code, stderr } = await serve({ DATABASE_URL: newer.url })
    await newer.drop()
    expect(stderr).toBe(
      'roost: The database is newer than this release of Roost (it has the migrations 29991231000000_from_the_future). Start the release that last used it, or a later one.\n',
    )
    expect(code).toBe(1)
  })

  it('when the files of the certificate are missing', async () => {
    const files = { ROOST_TLS_CERT: join(dataDir, 'a.pem'), ROOST_TLS_KEY: join(dataDir, 'b.pem') }
    const { code, stderr } = await serve({ ROOST_TLS: 'files', ...files })
    expect(stderr).toMatch(/^roost: Cannot read the file .*\/[ab]\.pem of ROOST_TLS=files \(ENOENT\)\.\n$/)
    expect(code).toBe(1)
  })

  it('when another major version of PostgreSQL made the database', async () => {
    await mkdir(join(dataDir, 'pgdata'))
    await writeFile(join(dataDir, 'pgdata/PG_VERSION'), '17\n')
    const { code, stderr } = await serve({ DATABASE_URL: '', ROOST_LOG_LEVEL: 'error' })
    expect(stderr).toMatch(
      /^roost: \S+\/pgdata was created by PostgreSQL 17, and this release of Roost contains PostgreSQL 18\. Start .*\n$/,
    )
    expect(code).toBe(1)
  })

  it('when the path of the data directory is too long for the database’s socket', async () => {
    const deep = join(dataDir, 'a'.repeat(100))
    await mkdir(deep)
    const { code, stderr } = await serve({ ROOST_DATA_DIR: deep, DATABASE_URL: '' })
    expect(stderr).toMatch(
      /^roost: The path of the data directory is too long for the socket of the database\. Set .*\n$/,
    )
    expect(code).toBe(1)
  })
})
