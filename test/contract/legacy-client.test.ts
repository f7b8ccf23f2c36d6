import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { addNode } from '../support/agents/fleet-rows.js'

let api: TestApi
const nodes: number[] = []
beforeAll(async () => {
  api = await startApi()
  for (let i = 0; i < 11; i++) nodes.push(await addNode(api.database, 1))
})
afterAll(() => api.stop())

it('the npm client ts-resource-tastypie pages, reads, filters, changes and follows next', async () => {
  const program = join(import.meta.dirname, '../support/http/tastypie-walk.mjs')
  const env = { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: join(api.controlPlane.dataDir, 'ca.pem') }
  const args = [program, api.url, ...api.key.split(':')]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env })
  const seen = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  expect(seen.total).toBe(11)
  expect(seen.pages).toEqual([nodes.slice(0, 4), nodes.slice(4, 8), nodes.slice(8)])
  expect(seen.previous).toEqual(nodes.slice(4, 8))
  expect(seen.first).toEqual(nodes.slice(0, 4))
  const { body } = await api.get(`/api/v1/nodes/${nodes[0]}/`)
  expect(seen.one).toMatchObject({ ...body, enabled: true })
  expect(seen.filtered.map(({ id }: { id: number }) => id)).toEqual([nodes[0]])
  expect(seen.changed).toMatchObject(body)
  expect(body.enabled).toBe(false)
  expect(seen.unknown).toContain('404')
})
