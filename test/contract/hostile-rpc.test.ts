import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { hostileValues } from '../support/hostile/hostile-values.js'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()

/** Calls a procedure with any input, and returns the status. */
async function statusOf(procedure: string, input: unknown): Promise<number> {
  const text = JSON.stringify(input)
  const isQuery = procedure.endsWith('getMany')
  const answer = isQuery
    ? await server.get(`/trpc/${procedure}?input=${encodeURIComponent(text)}`)
    : await server.post(`/trpc/${procedure}`, text)
  return answer.status
}

const isShort = (value: unknown) => JSON.stringify(value).length < 16_000

describe('any value in a field that tRPC has beside the records', () => {
  const forms: readonly (readonly [string, (node: number, value: unknown) => object])[] = [
    ['nodes.change', (id, value) => ({ id, change: {}, if_match: value })],
    ['nodes.remove', (id, value) => ({ id, if_match: value })],
    ['nodes.changeMany', (_id, value) => ({ changes: value })],
    ['nodes.changeMany', (_id, value) => ({ changes: [value] })],
    ['nodes.changeMany', (_id, value) => ({ changes: [{ id: value, change: {} }] })],
    ['nodes.changeMany', (id, value) => ({ changes: [{ id, change: value }] })],
    ['nodes.changeMany', (id, value) => ({ changes: [{ id, change: {}, if_match: value }] })],
    ['nodes.getMany', (_id, value) => ({ ids: value })],
    ['nodes.getMany', (_id, value) => ({ ids: [value] })],
    ['userDbDeployments.create', (_id, value) => ({ cluster: 999_999, idempotency_key: value })],
    ['drift.resolve', (id, value) => ({ id, action: 'reapply', idempotency_key: value })],
    [
      'gatewayShares.removeLeftovers',
      (_id, value) => ({ id: 999_999, remove_leftovers: true, idempotency_key: value }),
    ],
  ]

  it.each(forms)('is refused or harmless: %s, %o', async (procedure, inputOf) => {
    const node = await addNode(server.api.database, await addCluster(server.api.database))
    const values = hostileValues.filter((value) => !procedure.endsWith('getMany') || isShort(value))
    for (const value of values) {
      const status = await statusOf(procedure, inputOf(node, value))
      expect([status, JSON.stringify(value).slice(0, 80)]).toEqual([expect.toSatisfy(isForeseen), expect.anything()])
    }
  })

  it.each(['nodes/NODE/drift/', 'gateway_shares/999999/uploads/'])('is no Idempotency-Key of %s', async (path) => {
    const node = await addNode(server.api.database, await addCluster(server.api.database))
    for (const key of ['', ' ', 'a b', 'é', 'x'.repeat(256), 'x'.repeat(20_000)]) {
      const url = `/api/v1/${path.replace('NODE', String(node))}`
      const { status } = await server.post(url, { action: 'reapply' }, { 'idempotency-key': key })
      expect([400, 404]).toContain(status)
    }
  })
})

const isForeseen = (status: number) => status < 500

it('2,000 connections that speak HTTP to the port of HTTPS leave no file descriptor behind', async () => {
  const { url } = server.api
  // The control plane runs in the process of this suite.
  const files = async () => (await readdir('/proc/self/fd')).length
  await server.get('/api/v1/nodes/')
  const before = await files()
  const { port } = new URL(url)
  for (let round = 0; round < 20; round += 1) {
    const answers = await Promise.all(Array.from({ length: 100 }, () => answerTo(Number(port))))
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  }
  await expect.poll(files).toBeLessThanOrEqual(before + 5)
  expect((await server.get('/api/v1/nodes/')).status).toBe(200)
})

/** Sends a plain HTTP request, and returns the answer. The client leaves its side open. */
function answerTo(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
    let text = ''
    socket.on('data', (chunk) => (text += chunk.toString()))
    socket.on('end', () => {
      socket.destroy()
      resolve(text)
    })
    socket.on('error', reject)
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  })
}
