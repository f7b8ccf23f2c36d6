import { beforeEach, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { shareApi, statuses } from '../support/http/shared-api.js'

const server = shareApi()
const { addGateway, get, patch, post } = server
const long = process.env['ROOST_TEST_LONG'] !== undefined
const pairs = long ? 1000 : 40

let uri = ''
let clusterId = 0
beforeEach(async () => {
  clusterId = await addCluster(server.api.database)
  const body = { cluster: clusterId, user: 'bob', password: 'correct-horse-battery-staple' }
  uri = (await post('/api/v1/users/', body)).body.resource_uri
})

const cifs = (node: number | undefined, name: string) => ({
  node,
  name,
  protocol: 'cifs',
  objectstore_container: 'c',
})

const changesOf = async (path: string) =>
  server.api.database.prisma.auditEvent.count({
    where: { resource: 'users', resourceId: Number(path.split('/').at(-2)), action: 'change' },
  })

describe('two changes of one user at the same time', { timeout: long ? 600_000 : 180_000 }, () => {
  it('with If-Match: one is done and the other is 412, each time', async () => {
    for (let pair = 0; pair < pairs; pair++) {
      const headers = { 'if-match': String((await get(uri)).headers['etag']) }
      const password = `correct-horse-battery-${pair}`
      const both = await Promise.all([patch(uri, { password }, headers), patch(uri, { password }, headers)])
      expect(statuses(both)).toEqual([202, 412])
    }
    expect(await changesOf(uri)).toBe(pairs)
  })

  it('without If-Match: the last one wins, and both are in the audit', async () => {
    for (let pair = 0; pair < pairs; pair++) {
      const both = await Promise.all([patch(uri, { enabled: true }), patch(uri, { enabled: false })])
      expect(statuses(both)).toEqual([202, 202])
      expect(both.map(({ body }) => body)).toContainEqual((await get(uri)).body)
    }
    expect(await changesOf(uri)).toBe(2 * pairs)
  })
})

it('shares that are made, renamed and moved at the same time keep their names apart', async () => {
  const nodes = [await addGateway(clusterId), await addGateway(clusterId)]
  const path = '/api/v1/gateway_shares/'
  const made = await Promise.all(['a', 'b', 'c', 'd'].map((name) => post(path, cifs(nodes[0], name))))
  const [first, second, third] = made.map(({ body }) => body.resource_uri as string)
  const answers = await Promise.all([
    patch(first ?? '', { name: 'X' }),
    patch(second ?? '', { name: 'x' }),
    post(path, cifs(nodes[0], 'x')),
    patch(third ?? '', { node: nodes[1] }),
    post(path, cifs(nodes[1], 'C')),
  ])
  expect(answers.every(({ status }) => [201, 202, 400].includes(status))).toBe(true)
  const { objects } = (await get(`${path}?cluster=${clusterId}`)).body as { objects: { node: string; name: string }[] }
  const keys = objects.map(({ node, name }) => `${node} ${name.toLowerCase()}`)
  expect(new Set(keys).size).toBe(keys.length)
  expect(keys.filter((key) => key.endsWith(' x'))).toHaveLength(1)
  expect(keys.filter((key) => key.startsWith(`/api/v1/nodes/${nodes[1]}/`))).toHaveLength(1)
})
