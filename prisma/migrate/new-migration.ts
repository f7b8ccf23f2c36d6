import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describingAdapter } from '../client/catalog-adapter.js'
import type { Connection } from '../client/client.js'
import { openEmbedded } from '../embedded/embedded.js'
import { migrationsDir, readMigrations } from './migration-files.js'
import { filters, openSchemaEngine } from './schema-engine.js'

const schemaDir = join(import.meta.dirname, '../..', 'schema')

/** The SQL that leads from the migrations to the schema files; undefined when they agree already. */
async function difference(connection: Connection): Promise<string | undefined> {
  const names = (await readdir(schemaDir)).filter((name) => name.endsWith('.prisma'))
  const files = await Promise.all(
    names.map(async (path) => ({ path, content: await readFile(join(schemaDir, path), 'utf8') })),
  )
  const migrations = await readMigrations(migrationsDir)
  const engine = await openSchemaEngine(describingAdapter(connection), console.error)
  // createMigration() would want a shadow database that this build of the engine cannot get.
  const { stdout } = await engine.diff({
    from: migrations.migrationDirectories.length > 0 ? { tag: 'migrations', ...migrations } : { tag: 'empty' },
    to: { tag: 'schemaDatamodel', files },
    script: true,
    exitCode: null,
    filters,
  })
  return stdout && !stdout.includes('This is an empty migration') ? stdout : undefined
}

async function writeMigration(name: string, sql: string): Promise<string> {
  const time = new Date().toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)
  const path = join(migrationsDir, `${time}_${name}`, 'migration.sql')
  await mkdir(join(path, '..'))
  await writeFile(path, sql)
  await writeFile(join(migrationsDir, 'migration_lock.toml'), 'provider = "postgresql"\n')
  return path
}

const name = process.argv[2]
if (!name || !/^[a-z0-9_]+$/.test(name)) {
  console.error('usage: npm run db:migration -- NAME   (small letters, digits and _)')
  process.exitCode = 2
} else {
  const dataDir = await mkdtemp(join(tmpdir(), 'roost-migration-'))
  const server = await openEmbedded(dataDir, { log: () => {}, settings: ['fsync=off'] })
  try {
    await mkdir(migrationsDir, { recursive: true })
    const sql = await difference(server.connection)
    console.log(sql ? `wrote ${await writeMigration(name, sql)}` : 'Nothing to do: the migrations give this schema.')
  } finally {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
