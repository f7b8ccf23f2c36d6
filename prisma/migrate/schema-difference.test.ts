import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openEmbedded } from '../dist/embedded/embedded.js'
import type { Embedded } from '../dist/embedded/embedded.js'
import { schemaDifference, schemaDir } from '../dist/migrate/schema-difference.js'

let server: Embedded
let dataDir: string
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roost-schema-'))
  dataDir = await mkdtemp(join(tmpdir(), 'roost-schema-data-'))
  server = await openEmbedded(dataDir, { log: () => {}, settings: ['fsync=off'] })
})
afterAll(async () => {
  await server.stop()
  for (const path of [folder, dataDir]) await rm(path, { recursive: true, force: true })
})

/** The difference after a change of the schema that has no migration. */
async function afterChange(file: string, text: string, replacement: string): Promise<string | undefined> {
  const changed = await mkdtemp(join(folder, 'schema-'))
  await cp(schemaDir, changed, { recursive: true })
  const content = await readFile(join(changed, file), 'utf8')
  expect(content).toContain(text)
  await writeFile(join(changed, file), content.replace(text, replacement))
  return schemaDifference(server.connection, changed)
}

it('the migrations lead to the schema: otherwise run npm run db:migration -- NAME', async () => {
  expect(await schemaDifference(server.connection)).toBeUndefined()
})

it.each([
  ['an index', 'users.prisma', '@@index([name, id])', '@@index([name, id])\n  @@index([enabled])', 'CREATE INDEX'],
  ['a default', 'users.prisma', 'enabled     Boolean', 'enabled     Boolean @default(true)', 'SET DEFAULT true'],
  ['a column', 'clusters.prisma', 'name      String', 'label     String?\n  name      String', 'ADD COLUMN'],
  [
    'a table',
    'clusters.prisma',
    'model Cluster {',
    'model Thing {\n  id Int @id\n}\n\nmodel Cluster {',
    'CREATE TABLE',
  ],
])('%s without a migration is found', async (_name, file, text, replacement, sql) => {
  expect(await afterChange(file, text, replacement)).toContain(sql)
})
