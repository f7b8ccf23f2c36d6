import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectDatabase, queryRows } from './database.js'
import type { Database } from './database.js'

/** Nothing listens there. */
const away = { connectionString: 'postgresql://roost@127.0.0.1:1/roost' }

/** A server that lets clients in, and then says nothing any more, as when its machine vanishes. */
async function silent() {
  const welcome = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1')
  const server = createServer((socket) => socket.once('data', () => socket.write(welcome)).on('error', () => {}))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { connectionString: `postgresql://roost@127.0.0.1:${(server.address() as AddressInfo).port}/roost` }
}

describe.each([
  ['away', async () => away],
  ['silent', silent],
])('a database that is %s', (_what, connection) => {
  it.each<[string, (database: Database) => Promise<unknown>]>([
    ['a query of the client', ({ prisma }) => prisma.cluster.findMany()],
    ['a raw query', ({ prisma }) => prisma.$queryRaw`SELECT 1`],
    ['a raw statement', ({ prisma }) => prisma.$executeRaw`SELECT 1`],
    ['a transaction', ({ prisma }) => prisma.$transaction(async (tx) => tx.cluster.count())],
    ['a raw query in a transaction', ({ prisma }) => prisma.$transaction([prisma.$queryRaw`SELECT 1`])],
    ['a query past the client', (database) => queryRows(database, 'SELECT 1')],
  ])('answers %s with "unavailable" and when to ask again', async (_case, ask) => {
    const database = connectDatabase(await connection(), { silenceMs: 300 })
    onTestFinished(() => database.close())
    await expect(ask(database)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 })
  })
})
