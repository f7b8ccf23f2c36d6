import { createClient } from '@roost/api-types'
import type { Client } from '@roost/api-types'
import type { Job } from '@roost/api-types/rest'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { addLabNode, blockHalfway } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()
let client: Client
let node: LabNode
beforeAll(() => {
  const { url, ca, key } = server.api
  client = createClient({ url, ca, apiKey: key })
})
beforeEach(async () => {
  node = await addLabNode(server.api.controlPlane, server.api.database, await addCluster(server.api.database))
  await node.start()
  return () => node.remove()
})
afterAll(() => client.close())

/** All that a subscription says until its end. */
function watched(id: number): Promise<readonly Job[]> {
  const seen: Job[] = []
  return new Promise((resolve, reject) => {
    client.rpc.gatewayDeployments.watch.subscribe(
      { id },
      { onData: (job) => seen.push(job), onComplete: () => resolve(seen), onError: reject },
    )
  })
}

it('streams a deployment from its beginning to its end', async () => {
  const release = blockHalfway(node)
  const job = await client.rpc.gatewayDeployments.create.mutate({ node: node.uri })
  const all = watched(Number(job.id))
  await expect
    .poll(async () => (await client.rpc.gatewayDeployments.get.query({ id: Number(job.id) })).progress)
    .toBe(60)
  release()
  const seen = await all
  expect(seen.at(-1)).toMatchObject({ state: 'COMPLETED_SUCCESS', progress: 100 })
  const progress = seen.map((record) => record.progress)
  expect(progress).toEqual(progress.toSorted((one, other) => one - other))
})

it('says of one that has ended how it ended, and ends', async () => {
  const { id } = await client.rpc.gatewayDeployments.create.mutate({ node: node.uri })
  await watched(Number(id))
  expect(await watched(Number(id))).toMatchObject([{ id, state: 'COMPLETED_SUCCESS' }])
})

it('refuses to watch what is not there', async () => {
  await expect(watched(999_999)).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } })
})

it('writes an audit event for what an operator asked for', async () => {
  const { id } = await client.rpc.gatewayDeployments.create.mutate({ node: node.uri, dry_run: true })
  const rows = await server.api.database.prisma.auditEvent.findMany({
    where: { resource: 'gateway_deployments', resourceId: Number(id) },
  })
  expect(rows).toMatchObject([{ action: 'create', changes: { node: [null, node.uri], dry_run: [null, true] } }])
})
