import { expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { insertNodes } from '../support/agents/nodes.js'
import { shareApi } from '../support/http/shared-api.js'
import { definitions, historyAgent } from './support.js'

const shared = shareApi()

it('the history of a cluster is what its polls had', async () => {
  const clusterId = await addCluster(shared.api.database)
  const [node] = await insertNodes(shared.api.database, clusterId, 1)
  if (node === undefined) throw new Error('No node was inserted.')
  const { agent } = historyAgent({ ...shared.api, identity: node, metrics: definitions('load.shortterm') })
  agent.dial()
  await agent.until(({ welcomed }) => welcomed === 1)
  const cluster = `/api/v1/clusters/${clusterId}/metrics`
  const poll = async () => (await shared.get(`${cluster}/poll/?metrics=*`)).body.metrics
  agent.sendFrame(Float64Array.of(17))
  await expect.poll(poll).toContainEqual(expect.objectContaining({ value: 17 }))
  const start = new Date(Date.now() - 60_000).toISOString()
  await shared.api.context.history.recorder.sample()
  await shared.api.context.history.recorder.flush()
  const { body } = await shared.get(`${cluster}/history/?metrics=*&step=10&start=${start}`)
  const polled = (await poll()).filter(({ value }: { value: number | null }) => value !== null)
  expect(polled.length).toBeGreaterThan(0)
  for (const { metric_name, value } of polled)
    expect(body.metrics).toContainEqual(
      expect.objectContaining({ metric_name, values: expect.arrayContaining([value]) }),
    )
  agent.stop()
})
