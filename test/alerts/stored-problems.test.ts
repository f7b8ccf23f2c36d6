import { describe, expect, it } from 'vitest'
import { useAlertRounds } from '../support/agents/alert-rounds.js'
import { addDevice } from '../support/agents/fleet-rows.js'

const alerts = useAlertRounds()

describe('an alert', () => {
  it('is of a node with devices that are nearly full, with the percentage of the fullest and its limit', async () => {
    const usage = { totalBytes: 1_000n, freeBytes: 100n, availableBytes: 50n }
    const device = await addDevice(alerts.api.database, alerts.cluster, alerts.node, { name: 'd5', ...usage })
    const others = [
      { name: 'd4', totalBytes: 1_000n, freeBytes: 100n, availableBytes: 100n },
      { name: 'd6', totalBytes: 1_000n, freeBytes: 200n, availableBytes: 200n },
      { name: 'd7', status: 'missing', ...usage },
      { name: 'd8' },
    ]
    for (const other of others) await addDevice(alerts.api.database, alerts.cluster, alerts.node, other)
    await alerts.rounds(9)
    expect(await alerts.brief('code=DEVICE_FULL')).toEqual(['DEVICE_FULL store-1 pending'])
    await alerts.rounds(2)
    expect(await alerts.list('code=DEVICE_FULL')).toMatchObject([
      {
        subject: 'store-1',
        state: 'firing',
        severity: 'critical',
        value: 94.7,
        threshold: 92,
        summary: 'The device d5 of store-1 is 94.7 % full; 2 of its devices are above 85 %.',
      },
    ])
    const { body } = await alerts.api.get(`/api/v1/clusters/${alerts.cluster}/health/`)
    expect(body.verdict).toBe('critical')
    await alerts.api.database.prisma.deviceUsage.update({ where: { deviceId: device }, data: { availableBytes: 500n } })
    await alerts.rounds(1)
    expect(await alerts.list('code=DEVICE_FULL')).toMatchObject([{ severity: 'warning', value: 90, threshold: 85 }])
    await alerts.api.database.prisma.deviceUsage.updateMany({ data: { availableBytes: 500n } })
    await alerts.rounds(2)
    expect(await alerts.brief('code=DEVICE_FULL')).toEqual([])
  })

  it('is of a node whose configuration was changed by hand, after ten minutes', async () => {
    await alerts.changeNode({ configState: 'drifted', lastSeen: new Date(Date.now() + 3_600_000) })
    await alerts.rounds(19)
    expect(await alerts.brief()).toEqual(['GATEWAY_DRIFT store-1 pending'])
    await alerts.rounds(2)
    expect(await alerts.brief()).toEqual(['GATEWAY_DRIFT store-1 firing'])
    await alerts.changeNode({ configState: 'synced' })
    await alerts.rounds(2)
    expect(await alerts.brief()).toEqual([])
  })

  it('is of the errors of a proxy that its agent reports, after ten minutes', async () => {
    const errors = { code: 'proxy_errors', subject: 'proxy-server', message: 'It fails.', value: 2.5, threshold: 1 }
    await alerts.changeNode({ problems: [errors], lastSeen: new Date(Date.now() + 3_600_000) })
    await alerts.rounds(20)
    expect(await alerts.brief()).toEqual(['PROXY_ERRORS proxy-server pending'])
    await alerts.rounds(1)
    expect(await alerts.list()).toMatchObject([
      { state: 'firing', severity: 'warning', value: 2.5, threshold: 1, effect: 'Requests of clients fail.' },
    ])
    await alerts.changeNode({ problems: [] })
    await alerts.rounds(2)
    expect(await alerts.brief()).toEqual([])
  })

  it('is of a deployment that failed, until one succeeds', async () => {
    const { nodeDeployment } = alerts.api.database.prisma
    await alerts.changeNode({ rolesGranted: ['runs_gateway', 'runs_proxy'] })
    await nodeDeployment.create({ data: { nodeId: alerts.node, kind: 'user_db', outcome: 'applied' } })
    const key = { nodeId: alerts.node, kind: 'gateway' }
    await nodeDeployment.create({ data: { ...key, outcome: 'rolled_back', message: 'smbd did not start.' } })
    await alerts.rounds(1)
    expect(await alerts.list()).toMatchObject([
      {
        code: 'DEPLOYMENT_FAILED',
        subject: 'shares',
        state: 'firing',
        summary: 'The last deployment of shares to store-1 has failed: smbd did not start.',
      },
    ])
    await nodeDeployment.update({ where: { nodeId_kind: key }, data: { outcome: 'applied' } })
    await alerts.rounds(2)
    expect(await alerts.brief()).toEqual([])
  })

  it('is of no deployment to a node that gets none any more', async () => {
    const { nodeDeployment } = alerts.api.database.prisma
    await alerts.changeNode({ rolesGranted: ['runs_gateway'] })
    for (const kind of ['gateway', 'user_db'])
      await nodeDeployment.create({ data: { nodeId: alerts.node, kind, outcome: 'failed' } })
    await alerts.rounds(1)
    expect(await alerts.brief()).toEqual(['DEPLOYMENT_FAILED shares firing'])
    await alerts.changeNode({ rolesGranted: [] })
    await alerts.rounds(2)
    expect(await alerts.brief()).toEqual([])
  })
})
