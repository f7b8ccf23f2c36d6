import { expect } from 'vitest'
import { addAlert, addAlertDelivery, addDevice, addNode, addPolicy } from '../agents/fleet-rows.js'
import type { TestApi } from '../http/api.js'

/** Every screen, with the records of `addScreenRecords`. */
export const screenPaths = [
  '/',
  '/nodes',
  '/nodes/1',
  '/nodes/1/devices',
  '/nodes/1/hardware',
  '/nodes/1/generations',
  '/nodes/1/events',
  '/devices',
  '/devices?view=map',
  '/capacity',
  '/explain/capacity',
  '/explain/health?name=verdict',
  '/explore',
  '/swift',
  '/utilization',
  '/utilization?show=transfer&account=AUTH_bob',
  '/shares',
  '/shares/new',
  '/shares/1',
  '/users',
  '/users/new',
  '/users/1',
  '/deployments',
  '/deployments/new',
  '/drift',
  '/audit',
  '/alerts',
  '/alerts?alert=1',
  '/alerts/silences',
  '/alerts/rules',
  '/alerts/rules?rule=new',
  '/alerts/rules?limit=1',
  '/alerts/receivers',
  '/alerts/deliveries',
  '/access',
  '/access?tab=keys',
  '/access?tab=sessions',
  '/access?tab=tokens',
  '/system',
  '/system/clusters',
  '/system/clusters/1',
] as const

/** Some of everything that screens show. */
export async function addScreenRecords(api: TestApi): Promise<void> {
  const { database } = api
  const { id: cluster } = await database.prisma.cluster.findFirstOrThrow()
  await addPolicy(database, cluster, 0, 'gold')
  const gateway = await addNode(database, cluster, {
    hostname: 'gw-01',
    state: 'online',
    lastSeen: new Date(),
    role: { create: { runsGateway: true } },
  })
  const storage = await addNode(database, cluster, { hostname: 'st-01', state: 'offline', lastSeen: new Date(0) })
  const usage = { totalBytes: 8_000_000_000_000n, freeBytes: 2_000_000_000_000n, availableBytes: 2_000_000_000_000n }
  for (const name of ['d0', 'd1', 'd2'])
    await addDevice(database, cluster, storage, { name, agentKey: name, lastSeen: new Date(), ...usage })
  await addDevice(database, cluster, storage, {
    name: 'd3',
    agentKey: 'd3',
    serial: 'ZA-of-d3',
    status: 'failed',
    ...usage,
  })
  await addAlert(database, cluster, { nodeId: storage })
  await addAlertDelivery(database, cluster)
  const post = async (path: string, body: unknown) => {
    const { status, text } = await api.call(path, { method: 'POST', body })
    expect([path, status, text]).toEqual([path, 201, expect.any(String)])
  }
  await post('/api/v1/users/', {
    user: 'bob',
    cluster: `/api/v1/clusters/${cluster}/`,
    password: 'correct-horse-battery',
  })
  const deployed = { nodeId: gateway, kind: 'gateway' }
  await database.prisma.nodeDeployment.create({ data: { ...deployed, desired: 1, inForce: 1, outcome: 'applied' } })
  await database.prisma.generation.create({ data: { ...deployed, generation: 1, payload: new Uint8Array(70) } })
  const share = { name: 'docs', node: `/api/v1/nodes/${gateway}/`, objectstore_container: 'documents' }
  await post('/api/v1/gateway_shares/', share)
  await post('/api/v1/alert_rules/', { code: 'DEVICE_FULL', severity: 'critical', comment: 'replaced on Mondays' })
  const limit = { name: 'load', metric: 'load.longterm', comparison: 'above', threshold: 64, end_threshold: 48 }
  await post('/api/v1/alert_metric_rules/', limit)
}
