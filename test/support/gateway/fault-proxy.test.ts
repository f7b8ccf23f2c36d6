import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { freePort } from '../programs/free-port.js'
import { connectFaultProxy, faultProxyProgram } from './fault-proxy.js'
import type { FaultProxy } from './fault-proxy.js'

let dir: string
let server: Server
let child: ChildProcess
let proxy: Omit<FaultProxy, 'authUrl'>
let url: string
/** Complete requests that reached the server. */
let served: number

beforeEach(async () => {
  served = 0
  dir = await mkdtemp(join(tmpdir(), 'roost-fault-'))
  server = createServer((request, response) => {
    let bytes = 0
    request.on('data', (chunk: Buffer) => (bytes += chunk.length))
    request.on('end', () => {
      served += 1
      response.writeHead(201).end('x'.repeat(bytes))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const [control, port] = [join(dir, 'control'), await freePort()]
  const target = String((server.address() as AddressInfo).port)
  child = spawn(process.execPath, [faultProxyProgram, control, '127.0.0.1', String(port), '127.0.0.1', target])
  proxy = await connectFaultProxy(control)
  url = `http://127.0.0.1:${port}/`
})

afterEach(async () => {
  child.kill('SIGKILL')
  server.closeAllConnections()
  server.close()
  await rm(dir, { recursive: true, force: true })
})

const put = (path = ''): Promise<number> =>
  fetch(`${url}${path}`, { method: 'PUT', body: 'x'.repeat(2_000) }).then(
    async (answer) => (await answer.text()).length,
    () => 0,
  )

it('cuts one of so many exchanges, half of them in the body or right after it', async () => {
  await proxy.cutOneIn(5, 7)
  let complete = 0
  for (let i = 0; i < 200; i++) complete += (await put().catch(() => 0)) === 2_000 ? 1 : 0
  const { cuts, exchanges } = await proxy.counters()
  expect(exchanges).toBeGreaterThanOrEqual(200)
  const total = cuts.up + cuts.down + cuts.body + cuts.answer
  expect(total).toBeGreaterThanOrEqual(38)
  expect(total).toBeLessThanOrEqual(exchanges / 5 + 1)
  expect(Math.abs(total / 2 - cuts.body - cuts.answer)).toBeLessThanOrEqual(1)
  for (const count of Object.values(cuts)) expect(count).toBeGreaterThan(0)
  expect(200 - complete).toBeGreaterThanOrEqual(cuts.body + cuts.answer)
  // What was cut between the body and its answer had reached the server.
  expect(served).toBeGreaterThanOrEqual(complete + cuts.answer)
})

it('refuses connections, and passes them again', async () => {
  expect(await put()).toBe(2_000)
  await proxy.setAway('refuse')
  expect(await put()).toBe(0)
  await proxy.setAway(null)
  expect(await put()).toBe(2_000)
})

it('lets nothing pass while it swallows, and everything afterwards', async () => {
  expect(await put()).toBe(2_000)
  await proxy.setAway('swallow')
  const waiting = [put(), put()]
  await proxy.counters()
  expect(served).toBe(1)
  await proxy.setAway(null)
  expect(await Promise.all(waiting)).toEqual([2_000, 2_000])
})

it('cuts requests for a path alone, and keeps the answers to PUT', async () => {
  await proxy.cutPath('/one/')
  expect(await Promise.all([put('a/one/b'), put('a/two/b')])).toEqual([0, 2_000])
  await proxy.cutPath(null)
  await proxy.blockPuts(true)
  let answered = 0
  const waiting = put('a/one/b').then((bytes) => (answered = bytes))
  await expect.poll(() => served, { timeout: 45_000 }).toBe(2)
  expect(await fetch(url).then(({ status }) => status)).toBe(201)
  expect(answered).toBe(0)
  await proxy.blockPuts(false)
  expect(await waiting).toBe(2_000)
})
