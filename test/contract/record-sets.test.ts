import { beforeEach, describe, expect, it } from 'vitest'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()
const { get, post, patch } = server
let cluster = 0
let node = 0
beforeEach(async () => {
  cluster = await addCluster(server.api.database)
  node = await addNode(server.api.database, cluster, { role: { create: { runsGateway: true, runsProxy: true } } })
})

const kinds = {
  users: () => ({ cluster, user: 'bob', password: 'correct-horse-battery-staple' }),
  gateway_shares: () => ({ node, name: 'docs', objectstore_container: 'documents' }),
  alert_rules: () => ({ cluster, code: 'DEVICE_FULL', severity: 'critical' }),
  alert_metric_rules: () => ({ cluster, name: `load-${cluster}`, metric: 'load.*', comparison: 'above', threshold: 9 }),
  alert_receivers: () => ({ cluster, name: `ops-${cluster}`, kind: 'webhook', settings: { url: 'https://a.example' } }),
}

describe.each(Object.entries(kinds))('the set of %s', (resource, body) => {
  const listOf = async (query: string) =>
    (await get(`/api/v1/${resource}/?cluster=${cluster}&${query}`)).body.objects.map(({ set }: { set?: string }) => set)

  it('is absent from a record that no set made', async () => {
    const { resource_uri: uri, ...made } = (await post(`/api/v1/${resource}/`, body())).body
    expect(made).not.toHaveProperty('set')
    expect((await get(uri as string)).body).not.toHaveProperty('set')
  })

  it('is kept by other changes, and null takes the record out of it', async () => {
    const made = await post(`/api/v1/${resource}/`, { ...body(), set: `web-${cluster}` })
    const uri = made.body.resource_uri as string
    expect([made.status, made.body.set]).toEqual([201, `web-${cluster}`])
    expect((await patch(uri, { enabled: false })).body.set).toBe(`web-${cluster}`)
    expect(await listOf(`set=web-${cluster}`)).toEqual([`web-${cluster}`])
    expect(await listOf('set=other')).toEqual([])
    expect((await patch(uri, { set: `other-${cluster}` })).body.set).toBe(`other-${cluster}`)
    expect((await patch(uri, { set: null })).body).not.toHaveProperty('set')
    expect((await get(uri)).body).not.toHaveProperty('set')
  })

  it('is refused unless it is a plain name', async () => {
    for (const set of ['', ' web', '../web', 'x'.repeat(65), 3])
      expect((await post(`/api/v1/${resource}/`, { ...body(), set })).body[resource]).toHaveProperty('set')
  })
})
