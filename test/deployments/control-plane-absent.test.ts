import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Applier } from '@roost/node-agent/dist/deployments/applier.js'
import { expect, it } from 'vitest'
import { addLabNode, waitForJob } from '../support/gateway/deployment-lab.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { startedGenerations, currentFiles, folderApplier } from '../support/gateway/folder-applier.js'
import { shareApi } from '../support/http/shared-api.js'
import { SimulatedClock } from '../support/clock/simulated-clock.js'
import { startTestAgent } from '../support/agents/test-agent.js'

const hour = 3_600_000
const server = shareApi()

it('a control plane that is away for an hour changes nothing on a gateway, whose drift is checked all the while', async () => {
  const node = await addLabNode(server.api.controlPlane, server.api.database, await addCluster(server.api.database))
  const share = { name: 'docs', node: node.uri, objectstore_container: 'documents', enabled: true }
  await server.post('/api/v1/gateway_shares/', share)
  await node.start()
  const job = (await server.post('/api/v1/gateway_deployments/', { node: node.uri })).body
  expect((await waitForJob(server.get, job)).state).toBe('COMPLETED_SUCCESS')
  await node.stop()
  const file = join(node.dir, 'current', [...(await currentFiles(node.dir)).keys()][0] ?? '')
  const { mtimeMs } = await stat(file)
  await server.api.controlPlane.server.close()

  let driftChecks = 0
  const folder = folderApplier('gateway', node.dir)
  const gateway: Applier<'gateway'> = { ...folder, drift: async () => (driftChecks++, folder.drift()) }
  const clock = new SimulatedClock()
  const { agent } = await startTestAgent({ dataDir: node.dataDir, clock, random: () => 0.5, appliers: { gateway } })
  await clock.advance(hour)
  expect(driftChecks).toBeGreaterThanOrEqual(59)
  expect(await startedGenerations(node.dir)).toEqual([1])
  expect([...(await currentFiles(node.dir)).values()]).toEqual(['docs\nrw\n'])
  expect((await stat(file)).mtimeMs).toBe(mtimeMs)
  const stopped = agent.stop()
  await clock.advance(10_000)
  await stopped
  await node.remove()
})
