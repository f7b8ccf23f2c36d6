import { afterEach, beforeEach, expect, it } from 'vitest'
import { addLabNode } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()
const { get, post } = server
const waitOptions = { timeout: 60_000 }

let node: LabNode
let clusterId = 0
beforeEach(async () => {
  clusterId = await addCluster(server.api.database)
  node = await addLabNode(server.api.controlPlane, server.api.database, clusterId)
})
afterEach(() => node.remove())

const addShare = async (of: LabNode): Promise<number> =>
  (await post('/api/v1/gateway_shares/', { name: 'docs', node: of.uri, objectstore_container: 'documents' })).body.id
const events = async (share: number) =>
  (await get(`/api/v1/audit_events/?action=restored&resource=gateway_shares&resource_id=${share}`)).body.objects

it('a mount that the agent restored is an event of the audit, also from a time without a connection', async () => {
  const share = await addShare(node)
  node.restored.explain(share, 'The mount did not answer.')
  node.restored.record(share)
  await node.start()
  await expect.poll(async () => (await events(share)).length, waitOptions).toBe(1)
  const { uuid } = await server.api.database.prisma.node.findUniqueOrThrow({ where: { id: node.id } })
  expect(await events(share)).toMatchObject([
    { operator: `agent ${uuid}`, key_id: null, changes: { reason: [null, 'The mount did not answer.'] } },
  ])
})

it('ten restored mounts of a share in an hour are events, and those of another share as well', async () => {
  const share = await addShare(node)
  const other = await addLabNode(server.api.controlPlane, server.api.database, clusterId)
  try {
    const foreign = await addShare(other)
    await node.start()
    for (let time = 0; time < 12; time++) node.restored.record(share)
    node.restored.record(foreign)
    await expect.poll(async () => (await events(share)).length, waitOptions).toBe(10)
    // A share of another node is refused.
    expect(await events(foreign)).toEqual([])
  } finally {
    await other.remove()
  }
})
