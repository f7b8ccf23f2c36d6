import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeMetricFrame } from '@roost/api-types/agent'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { rawConnection, readAll } from '../support/http/raw-http.js'
import { halfHourMs } from '../support/database/usage-rows.js'

let api: TestApi
let path: string
let cluster: number
beforeAll(async () => {
  api = await startApi({ ROOST_USAGE_RETENTION_DAYS: '36500' })
  path = `/api/v1/nodes/${await addNode(api.database, 1)}/`
  cluster = await addCluster(api.database)
})
afterAll(() => api.stop())

const get = (of: string) => `GET ${of} HTTP/1.1\r\nHost: x\r\nAuthorization: apikey ${api.key}\r\n\r\n`

const account = 'AUTH_of_a_name_that_is_rather_long_so_that_the_answer_comes_to_many_bytes_'
const from = Date.parse('2020-01-01T00:00:00Z')

/** More rows than the buffers of a connection take: about 25 MB as CSV. */
async function addUsage(): Promise<void> {
  await api.database.pool.query(
    `with accounts as (
       insert into usage_accounts (cluster_id, name) select $1, $3 || i from generate_series(1, 150000) i returning id)
     insert into storage_usage (account_id, policy_index, half_hour, slots, bytes_used, containers, objects)
     select id, 0, $2, 7, 5, 1, 1 from accounts`,
    [cluster, from / halfHourMs, account],
  )
}

/** As many as come to about 18 MB of `metrics/across/`. */
async function addMetrics(): Promise<void> {
  const { intake } = api.context.metrics
  const metrics = Array.from({ length: 2_000 }, (_, i) => ({
    name: `disk.device-${i}.disk_octets.read`,
    unit: 'B/s',
    aggregation: 'sum' as const,
  }))
  const values = new Float64Array(metrics.length)
  for (let count = 0; count < 80; count++) {
    const node = await addNode(api.database, cluster)
    intake.connected(node)
    await intake.catalogue(node, { id: 1, metrics })
    intake.frame(node, encodeMetricFrame({ catalogue: 1, sequence: 1n, time: Date.now() / 1000, values }))
  }
}

/** Whether the server's end of the connection is; who reads nothing does not see it close. */
function isOpen({ localPort = 0, remotePort = 0 }: Socket): boolean {
  const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0')
  const established = new RegExp(`:${hex(remotePort)} \\w+:${hex(localPort)} 01 `)
  return established.test(readFileSync('/proc/net/tcp', 'utf8'))
}

/** The second goes the same way, and its rows take a while to make: it is for long runs. */
const large = [
  ['JSON', addMetrics, () => 'metrics/across/?metrics=*'],
  ['CSV', addUsage, () => 'utilization/storage/0/?start=2020-01-01&end=2020-01-01T01:00:00Z&format=csv'],
] as const

/** Otherwise the server would close it only after minutes. */
const withinMs = 40_000
const beatMs = 200

/** Does this again and again; `stop` answers for how long, less the time for which the whole process stood still. */
function beat(act: () => void) {
  let beats = 0
  const beating = setInterval(() => {
    beats += 1
    act()
  }, beatMs)
  return {
    stop() {
      clearInterval(beating)
      return beats * beatMs
    },
  }
}

describe.concurrent('a connection', () => {
  it('whose headers come slowly is cut', async () => {
    const socket = await rawConnection(api)
    socket.write('GET /healthz HTTP/1.1\r\nX-Slow: ')
    const dripping = beat(() => socket.writable && socket.write('x'))
    const answer = await readAll(socket)
    expect(dripping.stop()).toBeLessThan(withinMs)
    expect(answer).toMatch(/^HTTP\/1\.1 408 [^]*\{"error":/)
  })

  it('whose body comes slowly is cut', async () => {
    const socket = await rawConnection(api)
    socket.write(get(path).replace('GET', 'PATCH').replace('\r\n\r\n', '\r\nContent-Length: 100000\r\n\r\n'))
    const dripping = beat(() => socket.writable && socket.write(' '))
    await readAll(socket)
    expect(dripping.stop()).toBeLessThan(withinMs)
  })

  it.each(large.slice(0, process.env['ROOST_TEST_LONG'] === '1' ? 2 : 1))(
    'that takes nothing of a large answer in %s for 30 s is cut; others are served meanwhile',
    async (_of, add, query) => {
      await add()
      const socket = await rawConnection(api)
      socket.on('error', () => {})
      const started = Date.now()
      expect(isOpen(socket)).toBe(true)
      socket.pause().write(get(`/api/v1/clusters/${cluster}/${query()}`))
      await sleep(15_000)
      expect((await api.get(path)).status).toBe(200)
      await vi.waitUntil(() => !isOpen(socket), { timeout: 150_000, interval: 200 })
      expect(Date.now() - started).toBeGreaterThan(29_000)
      socket.destroy()
    },
    300_000,
  )

  it('that says nothing is cut', async () => {
    const socket = await rawConnection(api)
    const waiting = beat(() => {})
    await readAll(socket)
    expect(waiting.stop()).toBeLessThan(withinMs)
  })

  it('that speaks no HTTP gets 400 as JSON', async () => {
    const socket = await rawConnection(api)
    socket.write('HELO roost\r\n\r\n')
    expect(await readAll(socket)).toMatch(
      /^HTTP\/1\.1 400 [^]*X-Request-Id: [^]*\{"error":"The request is not valid HTTP\."\}$/,
    )
  })
})

it('of a thousand connections without a key, the oldest goes; callers with a key are served meanwhile', async () => {
  expect((await api.get('/api/v1/clusters/')).status).toBe(200)
  const { hostname, port } = new URL(api.url)
  let closed = 0
  const strangers: Socket[] = []
  // In turns, or the kernel's queue of the listener overflows and the rest comes a second later.
  for (let round = 0; round < 11; round++) {
    const some = Array.from({ length: 100 }, () => connect({ host: hostname, port: Number(port) }))
    for (const socket of some) {
      socket.on('error', () => {})
      socket.resume().once('close', () => (closed += 1))
    }
    await Promise.all(some.map((socket) => once(socket, 'connect')))
    strangers.push(...some)
  }
  await expect.poll(() => closed, { timeout: 60_000 }).toBeGreaterThanOrEqual(100)
  expect((await api.get('/api/v1/clusters/')).status).toBe(200)
  for (const socket of strangers) socket.destroy()
})
