import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describingAdapter } from '../client/catalog-adapter.js'
import type { Connection } from '../client/client.js'
import { migrationsDir, readMigrations } from './migration-files.js'
import { filters, openSchemaEngine } from './schema-engine.js'

export const schemaDir = join(import.meta.dirname, '../..', 'schema')

/** Returns the SQL that leads from the migrations to the schema files; undefined when they agree already. */
export async function schemaDifference(connection: Connection, directory = schemaDir): Promise<string | undefined> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.prisma'))
  const files = await Promise.all(
    names.map(async (path) => ({ path, content: await readFile(join(directory, path), 'utf8') })),
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
