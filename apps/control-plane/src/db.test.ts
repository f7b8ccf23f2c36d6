import { describe, expect, it, onTestFinished } from 'vitest'
import { connectDatabase, queryRows } from './db.js'
import type { Database } from './db.js'

/** Nothing listens there. */
const away = { connectionString: 'postgresql://roost@127.0.0.1:1/roost' }

describe('a database that is away', () => {
  it.each<[string, (database: Database) => Promise<unknown>]>([
    ['a query of the client', ({ prisma }) => prisma.cluster.findMany()],
    ['a raw query', ({ prisma }) => prisma.$queryRaw`SELECT 1`],
    ['a raw statement', ({ prisma }) => prisma.$executeRaw`SELECT 1`],
    ['a transaction', ({ prisma }) => prisma.$transaction(async (tx) => tx.cluster.count())],
    ['a raw query in a transaction', ({ prisma }) => prisma.$transaction([prisma.$queryRaw`SELECT 1`])],
    ['a query past the client', (database) => queryRows(database, 'SELECT 1')],
  ])('answers %s with "unavailable" and when to ask again', async (_case, ask) => {
    const database = connectDatabase(away)
    onTestFinished(() => database.close())
    await expect(ask(database)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 })
  })
})
