import { describe, expect, it } from 'vitest'
import { useAlertRounds } from '../support/agents/alert-rounds.js'

const alerts = useAlertRounds()
const query = 'code=ROLE_WAITS'
const brief = () => alerts.brief(query)
const minuteRounds = 2
const firing = ['ROLE_WAITS store-1 firing']

/** The agent of the node reports that it is a gateway and a proxy, and goes on reporting. */
const claim = () =>
  alerts.changeNode({
    lastSeen: new Date(Date.now() + 3_600_000),
    role: { update: { runsGateway: true, runsProxy: true } },
  })
const change = async (body: object) => {
  const { status } = await alerts.api.patch(`/api/v1/nodes/${alerts.node}/`, body)
  expect(status).toBe(202)
}

describe('a role that waits for an operator', () => {
  it('is an alert after ten minutes, not before, until all roles are approved', async () => {
    await claim()
    await alerts.rounds(10 * minuteRounds)
    expect(await brief()).toEqual(['ROLE_WAITS store-1 pending'])
    await alerts.rounds(1)
    expect(await alerts.list(query)).toMatchObject([
      {
        state: 'firing',
        severity: 'warning',
        node: `/api/v1/nodes/${alerts.node}/`,
        summary: 'store-1 claims the role gateway and proxy, which no operator has approved.',
        remedy: expect.stringContaining('`roost node approve store-1`'),
      },
    ])
    await change({ node_role: { runs_gateway: true } })
    await alerts.rounds(2)
    expect(await alerts.list(query)).toMatchObject([
      { state: 'firing', summary: 'store-1 claims the role proxy, which no operator has approved.' },
    ])
    await change({ node_role: { runs_proxy: true } })
    await alerts.rounds(1)
    expect(await brief()).toEqual(firing)
    await alerts.rounds(1)
    expect(await brief()).toEqual([])
  })

  it('is no alert when it is approved in ten minutes', async () => {
    await claim()
    await alerts.rounds(10 * minuteRounds)
    await change({ node_role: { runs_gateway: true, runs_proxy: true } })
    await alerts.rounds(2)
    expect(await alerts.list(`${query}&state__in=pending,firing,resolved`)).toEqual([])
  })

  it('ends when an operator says that the node has no such role, and when the node is disabled', async () => {
    await claim()
    await alerts.rounds(10 * minuteRounds + 1)
    expect(await brief()).toEqual(firing)
    await change({ node_role: { runs_gateway: false, runs_proxy: false } })
    await alerts.rounds(2)
    expect(await brief()).toEqual([])
    await claim()
    await alerts.rounds(10 * minuteRounds + 1)
    expect(await brief()).toEqual(firing)
    await change({ enabled: false })
    await alerts.rounds(2)
    expect(await brief()).toEqual([])
  })

  it('is no reason of the health, and is known while the node is silent', async () => {
    await claim()
    await alerts.rounds(10 * minuteRounds + 1)
    const { body } = await alerts.api.get(`/api/v1/clusters/${alerts.cluster}/health/`)
    expect([body.verdict, body.reasons]).toEqual(['ok', []])
    await alerts.changeNode({ state: 'offline', lastSeen: new Date(Date.now() - 300_000) })
    await alerts.rounds(2)
    expect(await alerts.brief('order_by=code')).toEqual(['NODE_SILENT store-1 firing', ...firing])
    await change({ node_role: { runs_gateway: true, runs_proxy: true } })
    await alerts.rounds(2)
    expect(await brief()).toEqual([])
  })
})
