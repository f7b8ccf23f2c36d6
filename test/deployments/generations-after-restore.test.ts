import type { Job } from '@roost/api-types/rest'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { addLabNode, waitForJob } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { startedGenerations, currentFiles } from '../support/gateway/folder-applier.js'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()
let node: LabNode
let share = ''
beforeEach(async () => {
  const { controlPlane, database } = server.api
  node = await addLabNode(controlPlane, database, await addCluster(database))
  const body = { node: node.id, name: 'docs', objectstore_container: 'c', enabled: true }
  share = (await server.post('/api/v1/gateway_shares/', body)).body.resource_uri
  await node.start()
  for (const name of ['first', 'second', 'third']) {
    await server.patch(share, { name })
    await deploy()
  }
  await node.stop()
  return () => node.remove()
})

async function deploy(): Promise<Job> {
  const { body } = await server.post('/api/v1/gateway_deployments/', { node: node.uri })
  return waitForJob(server.get, body)
}

const stateOf = () => server.api.database.prisma.nodeDeployment.findMany({ where: { nodeId: node.id } })

/** Makes the database what it was after so many deployments, or before the first. */
async function putBack(deployments: 0 | 1): Promise<void> {
  const { prisma } = server.api.database
  const where = { nodeId: node.id }
  await prisma.job.deleteMany({ where })
  await prisma.generation.deleteMany({ where: { ...where, generation: { gt: deployments } } })
  if (deployments === 0) await prisma.nodeDeployment.deleteMany({ where })
  else await prisma.nodeDeployment.updateMany({ where, data: { desired: 1, inForce: 1, outcome: 'applied' } })
}

it('a node that has seen more generations than a restored database keeps what it has, and its numbers go on', async () => {
  await putBack(1)
  await node.start()
  await expect.poll(stateOf).toMatchObject([{ desired: 3, inForce: 3, outcome: 'applied' }])
  expect(await startedGenerations(node.dir)).toEqual([1, 2, 3])
  await server.patch(share, { name: 'fourth' })
  expect(await deploy()).toMatchObject({ state: 'COMPLETED_SUCCESS', targets: [{ generation: 4 }] })
  expect([...(await currentFiles(node.dir)).values()]).toEqual(['fourth\nrw\n'])
})

it.each([0, 1] as const)(
  'a deployment that was asked for after the restore reaches a node that was away, under a number it has not seen (%i)',
  async (deployments) => {
    await putBack(deployments)
    await server.patch(share, { name: 'fourth' })
    const { body: job } = await server.post('/api/v1/gateway_deployments/', { node: node.uri })
    await expect.poll(stateOf).toMatchObject([{ desired: deployments + 1, outcome: null }])
    await node.start()
    const end = await waitForJob(server.get, job)
    expect(end).toMatchObject({ state: 'COMPLETED_SUCCESS', targets: [{ state: 'applied', generation: 4 }] })
    expect(await startedGenerations(node.dir)).toEqual([1, 2, 3, 4])
    expect([...(await currentFiles(node.dir)).values()]).toEqual(['fourth\nrw\n'])
  },
)

it.each([2 ** 30, 2 ** 31 - 1])('a node whose numbers are used up (%i) fails alone', async (desired) => {
  const { controlPlane, database } = server.api
  const { clusterId } = await database.prisma.node.findUniqueOrThrow({ where: { id: node.id } })
  const other = await addLabNode(controlPlane, database, clusterId)
  onTestFinished(() => other.remove())
  await Promise.all([node.start(), other.start()])
  await database.prisma.nodeDeployment.updateMany({ where: { nodeId: node.id }, data: { desired, inForce: desired } })
  const { body } = await server.post('/api/v1/gateway_deployments/', { cluster: `/api/v1/clusters/${clusterId}/` })
  const { state, targets } = await waitForJob(server.get, body)
  expect(state).toBe('COMPLETED_FAILED')
  expect(targets).toEqual([
    expect.objectContaining({
      node: node.uri,
      state: 'failed',
      message: expect.stringContaining('used up its generation numbers'),
    }),
    expect.objectContaining({ node: other.uri, state: 'applied' }),
  ])
})
