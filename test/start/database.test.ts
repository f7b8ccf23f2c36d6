import { openDatabase } from '@roost/database'
import { afterAll, expect, it } from 'vitest'
import { createTestDatabase } from '../support/database/database.js'

const database = await createTestDatabase()
afterAll(() => database.drop())

it('gives each suite a migrated database of its own', async () => {
  await database.prisma.cluster.create({ data: { name: 'default' } })
  expect(await database.prisma.cluster.count()).toBe(1)
  const other = await createTestDatabase()
  expect(await other.prisma.cluster.count()).toBe(0)
  await other.drop()
})

it('can be reached by its URL', async () => {
  const byUrl = openDatabase({ connectionString: database.url })
  await expect(byUrl.prisma.cluster.count()).resolves.toBeGreaterThanOrEqual(0)
  await byUrl.close()
})
