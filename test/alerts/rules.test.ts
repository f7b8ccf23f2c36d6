import { beforeEach, describe, expect, it } from 'vitest'
import { useAlertRounds } from '../support/agents/alert-rounds.js'
import { addCluster, addDevice, addNode } from '../support/agents/fleet-rows.js'

const alerts = useAlertRounds()
const code = 'DEVICE_UNMOUNTED'
const query = `code=${code}`

beforeEach(async () => {
  await alerts.api.database.prisma.alertRule.deleteMany()
})

const post = (body: object) => alerts.api.call('/api/v1/alert_rules/', { method: 'POST', body })
async function add(body: object): Promise<string> {
  const { status, body: rule } = await post({ code, ...body })
  expect(status).toBe(201)
  return rule.resource_uri
}
const unmount = (name: string, cluster = alerts.cluster, node = alerts.node) =>
  addDevice(alerts.api.database, cluster, node, { name, status: 'unmounted' })

describe('a rule', () => {
  it('changes how long a problem must last: not a round sooner, and not later', async () => {
    await add({ for_seconds: 60 })
    await unmount('d5')
    await alerts.rounds(2)
    expect(await alerts.brief(query)).toEqual([`${code} d5 pending`])
    await alerts.rounds(1)
    expect(await alerts.brief(query)).toEqual([`${code} d5 firing`])
  })

  it('makes alerts critical, with their urgency, also those that fire already, until it is removed', async () => {
    await unmount('d5')
    await alerts.rounds(7)
    expect(await alerts.list(query)).toMatchObject([{ state: 'firing', severity: 'warning', rank: 8 }])
    const uri = await add({ severity: 'critical' })
    await alerts.rounds(1)
    expect(await alerts.list(query)).toMatchObject([{ state: 'firing', severity: 'critical', rank: 3 }])
    const { body } = await alerts.api.get(`/api/v1/clusters/${alerts.cluster}/health/`)
    expect([body.verdict, body.reasons[0].severity]).toEqual(['warn', 'warning'])
    await alerts.api.call(uri, { method: 'DELETE' })
    await alerts.rounds(1)
    expect(await alerts.list(query)).toMatchObject([{ severity: 'warning', rank: 8 }])
  })

  it('switches alerts off, ends those that fire, also while their node is silent, and leaves others alone', async () => {
    await unmount('d5')
    await alerts.changeNode({ configState: 'drifted' })
    await alerts.rounds(7)
    await alerts.changeNode({ state: 'offline' })
    await alerts.rounds(1)
    expect(await alerts.brief(query)).toEqual([`${code} d5 unknown`])
    const uri = await add({ enabled: false })
    await alerts.rounds(1)
    expect(await alerts.brief(query)).toHaveLength(1)
    await alerts.rounds(1)
    expect(await alerts.brief(query)).toEqual([])
    expect(await alerts.brief('code=GATEWAY_DRIFT')).toEqual(['GATEWAY_DRIFT store-1 pending'])
    await alerts.changeNode({ state: 'online' })
    await alerts.rounds(7)
    expect(await alerts.brief(query)).toEqual([])
    expect((await alerts.api.patch(uri, { enabled: true, severity: 'critical' })).status).toBe(202)
    await alerts.rounds(1)
    expect(await alerts.brief(query)).toEqual([`${code} d5 pending`])
  })

  it('of a cluster replaces the one for all', async () => {
    const { database } = alerts.api
    const elsewhere = await addCluster(database)
    const node = await addNode(database, elsewhere, { state: 'online', lastSeen: new Date() })
    await add({ severity: 'critical', for_seconds: 0 })
    await add({ cluster: `/api/v1/clusters/${elsewhere}/`, for_seconds: 30 })
    await unmount('d5')
    await unmount('d6', elsewhere, node)
    const found = async () =>
      (await alerts.list(`${query}&order_by=id`)).map(
        ({ subject, state, severity }) => `${subject} ${state} ${severity}`,
      )
    await alerts.rounds(1)
    expect((await found()).toSorted()).toEqual(['d5 firing critical', 'd6 pending warning'])
    await alerts.rounds(1)
    expect((await found()).toSorted()).toEqual(['d5 firing critical', 'd6 firing warning'])
  })

  it('is of one code and scope, of a known code, and changes something', async () => {
    const uri = await add({ enabled: false })
    expect(await post({ code, severity: 'critical' })).toMatchObject({
      status: 400,
      body: { alert_rules: { code: [`There is a rule for ${code} in all clusters already.`] } },
    })
    expect((await post({ code, cluster: alerts.cluster, severity: 'critical' })).status).toBe(201)
    const nothing = { enabled: ['This rule would change nothing. Set severity or for_seconds, or remove it.'] }
    expect(await post({ code: 'NODE_SILENT' })).toMatchObject({ status: 400, body: { alert_rules: nothing } })
    expect(await alerts.api.patch(uri, { enabled: true })).toMatchObject({
      status: 400,
      body: { alert_rules: nothing },
    })
    expect((await post({ code: 'DISK_IS_HAUNTED', enabled: false })).status).toBe(400)
    expect((await post({ code: 'NODE_SILENT', for_seconds: 2_592_001 })).status).toBe(400)
  })
})
