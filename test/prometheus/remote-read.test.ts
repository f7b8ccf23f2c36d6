import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { insertNodes } from '../support/agents/nodes.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { useFolder } from '../support/programs/folder.js'
import { definitions, historyAgent, stepMs, windowFrame, windowMs } from '../history/support.js'
import { hasPrometheus, startPrometheus } from './support.js'
import type { PrometheusServer } from './support.js'

/** The beginning of what was sent: an hour ago, at a whole window. */
const from = Math.floor(Date.now() / windowMs) * windowMs - 3_600_000
const windows = 4
/** The last reading, in Unix seconds. */
const last = (from + windows * windowMs - stepMs) / 1000

let api: TestApi
/** Names of the nodes, in the order of their ids. */
let names: readonly string[]
beforeAll(async () => {
  api = await startApi()
  const nodes = []
  for (const cluster of ['east', 'west'])
    nodes.push(...(await insertNodes(api.database, await addCluster(api.database, cluster), 2)))
  for (const [i, { id }] of nodes.entries())
    await api.database.prisma.node.update({ where: { id }, data: { hostname: `store-${i + 1}` } })
  names = (await api.database.prisma.node.findMany({ orderBy: { id: 'asc' } })).map(({ hostname }) => hostname)
  for (const [i, identity] of nodes.entries()) {
    const sender = historyAgent({ ...api, identity, metrics: definitions('load.shortterm', 'disk.sd-a.ops') })
    const value = (column: number, timeMs: number) => valueOf(i, column, timeMs)
    sender.agent.dial()
    await sender.agent.until(({ welcomed }) => welcomed === 1)
    for (let k = 0; k < windows; k++)
      await sender.send(windowFrame({ startMs: from + k * windowMs, sequence: k + 1, value }), k + 1)
    sender.agent.stop()
  }
})
afterAll(() => api.stop())

/** Grows by `node + 1` each reading; the other column has a gap of two minutes. */
function valueOf(node: number, column: number, timeMs: number): number {
  const reading = (timeMs - from) / stepMs
  if (column === 1) return reading >= 60 && reading < 72 ? Number.NaN : 5
  return (node + 1) * reading
}

describe('remote_read with a request that is not one of Prometheus', () => {
  const post = (body: Buffer, headers: Record<string, string | null> = {}) =>
    api.call('/prometheus/api/v1/read', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy', ...headers },
    })
  /** A block of snappy with one literal. */
  const block = (...bytes: number[]) => Buffer.from([bytes.length, (bytes.length - 1) << 2, ...bytes])
  const matcher = (type: number, text: string) => {
    const own = [0x08, type, 0x12, 1, 0x61, 0x1a, text.length, ...Buffer.from(text)]
    const query = [0x08, 1, 0x10, 2, 0x1a, own.length, ...own]
    return block(0x0a, query.length, ...query)
  }

  it.each([
    ['garbage', Buffer.from('garbage'), 'not valid snappy'],
    ['a copy from before the beginning', Buffer.from([8, 0b0001_0001, 4]), 'not valid snappy'],
    ['another message', block(0x0a, 9), 'not a valid message'],
    ['a regular expression that is none', matcher(2, '('), "The regular expression '(' is not valid"],
    ['a matcher of another type', matcher(9, 'x'), 'The type 9 of a matcher is not known'],
  ])('%s is refused with the reason', async (_, body, reason) => {
    const { status, text } = await post(body)
    expect([status, text]).toEqual([400, expect.stringContaining(reason)])
  })

  it('is refused without a key, as JSON, and when it says that it is huge', async () => {
    expect((await post(block(0), { authorization: null })).status).toBe(401)
    expect((await post(block(0), { 'content-type': 'application/json' })).status).toBe(415)
    expect((await post(Buffer.from([255, 255, 255, 255, 7, 0, 0]))).status).toBe(413)
  })

  it('gets no series for nothing, also with a key that may only read', async () => {
    const reader = await api.addOperator({ name: 'reader', role: 'read_only' })
    const answer = await post(matcher(0, 'x'), { authorization: `apikey ${reader}` })
    expect(answer.status).toBe(200)
    expect(answer.headers).toMatchObject({ 'content-encoding': 'snappy', 'content-type': 'application/x-protobuf' })
  })
})

describe.skipIf(!hasPrometheus)('a real Prometheus', () => {
  let prometheus: PrometheusServer
  beforeAll(async () => {
    const folder = await useFolder('remote-read')
    const [ca, key] = [join(folder, 'ca.pem'), join(folder, 'key')]
    await writeFile(ca, api.ca)
    await writeFile(key, await api.addOperator({ name: 'prometheus', role: 'read_only' }))
    const remote = {
      url: `${api.url}/prometheus/api/v1/read`,
      read_recent: true,
      authorization: { type: 'apikey', credentials_file: key },
      tls_config: { ca_file: ca },
    }
    prometheus = await startPrometheus({ config: { remote_read: [remote] } })
    await vi.waitFor(() => ask('vector(1)'), { timeout: waitTimeoutMs, interval: 500 })
  })
  afterAll(() => prometheus.stop())

  const ask = (expression: string, time = last) => prometheus.query(expression, time)
  const byNode = async (expression: string, time = last) =>
    Object.fromEntries((await ask(expression, time)).map(({ metric, value }) => [metric['node'], value]))
  const reading = (last * 1000 - from) / stepMs

  it('reads each series with its cluster, its node and the true name of its metric', async () => {
    expect(await ask('load_shortterm')).toEqual(
      names.map((node, i) => ({
        metric: { __name__: 'load_shortterm', metric: 'load.shortterm', cluster: i < 2 ? 'east' : 'west', node },
        value: (i + 1) * reading,
      })),
    )
    expect((await ask('{metric="disk.sd-a.ops"}')).map(({ metric }) => metric['__name__'])).toEqual(
      names.map(() => 'disk_sd_a_ops'),
    )
  })

  it('answers topk, sums by cluster, regular expressions and rates', async () => {
    expect(await byNode('topk(2, load_shortterm)')).toEqual({
      [names[3] ?? '']: 4 * reading,
      [names[2] ?? '']: 3 * reading,
    })
    const sums = await ask('sum by (cluster) (load_shortterm)')
    expect(sums.map(({ metric, value }) => [metric['cluster'], value])).toEqual([
      ['east', 3 * reading],
      ['west', 7 * reading],
    ])
    expect(Object.keys(await byNode(`load_shortterm{node=~"${names[0]}|${names[3]}",cluster!="east"}`))).toEqual([
      names[3],
    ])
    expect(Object.keys(await byNode('{__name__=~"load_.+",cluster="west"}'))).toEqual([names[2], names[3]])
    const rates = await byNode('rate(load_shortterm[10m])')
    for (const [i, node] of names.entries()) expect(rates[node]).toBeCloseTo((i + 1) / 10, 6)
  })

  it('has no value in a gap, and each reading once', async () => {
    const inGap = (from + 61 * stepMs) / 1000
    expect(await ask('disk_sd_a_ops', inGap)).toEqual([])
    expect((await ask('disk_sd_a_ops', inGap + 120)).map(({ value }) => value)).toEqual([5, 5, 5, 5])
    const counts = await byNode(`count_over_time(load_shortterm[${windows * 5}m])`)
    expect(Object.values(counts)).toEqual(names.map(() => windows * 30))
  })
})
