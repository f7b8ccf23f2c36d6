import { once } from 'node:events'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import Fastify from 'fastify'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeCa, makeServerCertificate } from '../../tls/certificates.js'
import { sendCsv } from '../dialect/csv.js'
import type { CsvRow } from '../dialect/csv.js'
import { sendSlices, sliceLongAnswers } from '../dialect/slices.js'
import { cutStalledReaders } from './stalled-readers.js'

const patienceMs = 5_000
/** More than the buffers of a connection take. */
const large = 48_000_000

/** Pieces that were made, by the number of the request. */
const made = new Map<string, number>()
function count(request: FastifyRequest): () => void {
  const { number = '' } = request.params as { readonly number?: string }
  return () => void made.set(number, (made.get(number) ?? 0) + 1)
}
function* pieces(add: () => void): Generator<string> {
  for (; ; add()) yield 'x'.repeat(1_000)
}
function* rows(add: () => void): Generator<readonly CsvRow[]> {
  for (; ; add()) yield [{ text: 'x'.repeat(100_000) }]
}

/** A server with every kind of answer. */
function useServer(scheme: 'http' | 'https') {
  let app: FastifyInstance
  let ca = ''
  const cuts = new Map<number, Promise<number>>()
  beforeAll(async () => {
    const authority = await makeCa(Date.now())
    const { cert, key } = await makeServerCertificate(authority, ['localhost'], Date.now())
    ca = authority.cert
    if (scheme === 'http') app = Fastify()
    else app = Fastify({ https: { key, cert } })
    sliceLongAnswers(app)
    cutStalledReaders(app, patienceMs)
    app.get('/slices/:number', async (request, reply) => sendSlices(reply, pieces(count(request))))
    app.get('/csv/:number', async (request, reply) => sendCsv(reply, ['text'], rows(count(request))))
    app.get('/list/:number', async () => ({ text: 'x'.repeat(large) }))
    app.get('/late/:number', async () => {
      await sleep(2 * patienceMs)
      return { text: 'at last' }
    })
    app.server.on('connection', (socket: Socket) => {
      const since = performance.now()
      const cut = once(socket, 'close').then(() => performance.now() - since)
      cuts.set(socket.remotePort ?? 0, cut)
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
  })
  afterAll(() => app.close())

  let last = 0
  /** A client that has asked; `cut` is the time until the server closed its connection. */
  async function ask(path: string) {
    const number = `${scheme}-${(last += 1)}`
    const { port } = app.server.address() as AddressInfo
    const to = { host: '127.0.0.1', port }
    const reader: Socket = scheme === 'http' ? connect(to) : connectTls({ ...to, servername: 'localhost', ca })
    reader.on('error', () => {})
    await once(reader, scheme === 'http' ? 'connect' : 'secureConnect')
    const { localPort = 0 } = reader
    reader.pause().write(`GET ${path}/${number} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await vi.waitUntil(() => cuts.has(localPort), { timeout: 20_000 })
    return { reader, cut: cuts.get(localPort) as Promise<number>, made: () => made.get(number) }
  }
  return ask
}

const schemes = ['http', 'https'] as const

// One after the other: what is slow must not be made slower by what is large.
describe('a reader that takes nothing', () => {
  describe.concurrent.each(schemes)('over %s', (scheme) => {
    const ask = useServer(scheme)

    it.each(['/slices', '/csv', '/list'])(
      'of %s is cut, and nothing more is made for it',
      async (path) => {
        const { reader, cut, made } = await ask(path)
        expect(await cut).toBeGreaterThanOrEqual(patienceMs)
        const atCut = made()
        await sleep(50)
        expect(made()).toBe(atCut)
        reader.destroy()
      },
      60_000,
    )

    it('because there is nothing yet waits for as long as the server takes', async () => {
      const { reader } = await ask('/late')
      const [answer] = (await once(reader.resume(), 'data')) as [Buffer]
      expect(String(answer)).toContain('at last')
      reader.destroy()
    })
  })
})

describe('a reader that is slow', () => {
  describe.concurrent.each(schemes)('over %s', (scheme) => {
    const ask = useServer(scheme)

    it.each(['/slices', '/list'])(
      'gets %s, little by little',
      async (path) => {
        const { reader, cut } = await ask(path)
        let received = 0
        reader.on('data', (chunk: Buffer) => {
          received += chunk.length
          reader.pause()
          setTimeout(() => reader.resume(), 20)
        })
        reader.resume()
        expect(await Promise.race([cut, sleep(2 * patienceMs, 'open')])).toBe('open')
        await vi.waitUntil(() => received > 100_000, { timeout: 20_000 })
        expect(received).toBeLessThan(large)
        reader.destroy()
      },
      60_000,
    )
  })
})
