import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbedded } from '../embedded/embedded.js'
import { migrationsDir } from './migration-files.js'
import { schemaDifference } from './schema-difference.js'

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
  console.error('Usage: npm run db:migration -- NAME   (lower-case letters, digits and _)')
  process.exitCode = 2
} else {
  const dataDir = await mkdtemp(join(tmpdir(), 'roost-migration-'))
  const server = await openEmbedded(dataDir, { log: () => {}, settings: ['fsync=off'] })
  try {
    await mkdir(migrationsDir, { recursive: true })
    const sql = await schemaDifference(server.connection)
    console.log(
      sql ? `wrote ${await writeMigration(name, sql)}` : 'Nothing to do: the migrations lead to this schema already.',
    )
  } finally {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
