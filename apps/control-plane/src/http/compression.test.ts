import { once } from 'node:events'
import { get } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compressAnswers } from './compression.js'

const group = 'a row of a table,1,2,3\r\n'.repeat(80)
const app = Fastify()
let release: () => void
let isClosed = false

async function* groups(): AsyncGenerator<Buffer> {
  try {
    yield Buffer.from(group)
    await new Promise<void>((resolve) => (release = resolve))
    yield Buffer.from(group)
  } finally {
    isClosed = true
  }
}

beforeAll(async () => {
  compressAnswers(app)
  app.get('/rows', async (_request, reply) => reply.type('text/csv').send(Readable.from(groups())))
  app.get('/fails', async (_request, reply) =>
    reply.type('text/csv').send(
      Readable.from(
        (async function* () {
          yield Buffer.from('x')
          throw new Error('the database is away')
        })(),
      ),
    ),
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => app.close())

async function open(path: string, encoding: string): Promise<IncomingMessage> {
  const { port } = app.server.address() as AddressInfo
  const [answer] = await once(get({ port, path, headers: { 'accept-encoding': encoding } }), 'response')
  return answer as IncomingMessage
}

it.each([
  ['gzip', createGunzip],
  ['br', createBrotliDecompress],
])('by %s, a row group arrives before the next one is read', async (encoding, decompress) => {
  const answer = await open('/rows', encoding)
  expect(answer.headers['content-encoding']).toBe(encoding)
  let text = ''
  const plain = answer.pipe(decompress())
  plain.on('data', (chunk) => (text += String(chunk)))
  await expect.poll(() => text).toBe(group)
  release()
  await once(plain, 'end')
  expect(text).toBe(group + group)
})

it('a client that goes away ends the reading of rows', async () => {
  isClosed = false
  const answer = await open('/rows', 'gzip')
  answer.destroy()
  release()
  await expect.poll(() => isClosed).toBe(true)
})

it('an error before the first kilobyte is answered as an error', async () => {
  const answer = await open('/fails', 'gzip')
  expect([answer.statusCode, answer.headers['content-encoding']]).toEqual([500, undefined])
})
