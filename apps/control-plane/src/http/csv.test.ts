import { once } from 'node:events'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { csvLine, sendCsv } from './csv.js'
import type { CsvRow } from './csv.js'

it('quotes what would end a cell, and puts a quote before what a spreadsheet would take for a formula', () => {
  expect(csvLine(['a', 1, 'b,c', 'd"e', '=f', '-1', -1])).toBe(`a,1,"b,c","d""e","'=f","'-1",-1\r\n`)
})

it('cuts a reader that takes nothing for as long as it has patience, and makes no more rows for it', async () => {
  let made = 0
  function* endless(): Generator<readonly CsvRow[]> {
    for (; ; made++) yield [{ text: 'x'.repeat(100_000) }]
  }
  const app = Fastify()
  app.get('/', async (_request, reply) => sendCsv(reply, ['text'], endless(), 200))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const cut = new Promise((resolve) => app.server.once('connection', (socket) => socket.once('close', resolve)))
  const reader = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  await once(reader, 'connect')
  reader.on('error', () => {}).pause()
  reader.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await cut
  const atCut = made
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(made).toBe(atCut)
  reader.destroy()
  await app.close()
})
