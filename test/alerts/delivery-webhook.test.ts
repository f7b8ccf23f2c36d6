import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { labelsOf, useAlertLab } from '../support/alerts/alert-lab.js'
import { startReceivingServer } from '../support/alerts/receiving-server.js'
import type { ReceivingServer } from '../support/alerts/receiving-server.js'

const lab = useAlertLab()
let server: ReceivingServer
beforeEach(async () => {
  server = await startReceivingServer()
})
afterEach(() => server.stop())

const minuteMs = 60_000
const webhook = (more: object = {}) => ({ kind: 'webhook', settings: { url: `${server.url}/hook` }, ...more })
const bodies = () => server.received.map(({ body }) => body)
/** Such as `firing d5 d6`. */
const brief = () =>
  bodies().map(({ alerts }) =>
    alerts
      .map((one: { status: string; labels: { subject: string } }) => `${one.status} ${one.labels.subject}`)
      .join(', '),
  )
const get = async (path: string) => (await lab.api.get(`/api/v1/${path}`)).body
const deliveries = async () => (await get('alert_deliveries/?order_by=id')).objects

describe('a webhook', () => {
  it('gets the body of the webhook of Alertmanager, version 4, half a minute after an alert fired, and its end', async () => {
    await lab.addReceiver({ ...webhook(), name: 'on-call' })
    await lab.unmount('d5')
    await lab.pass(3.5 * minuteMs)
    const [alert] = (await get('alerts/')).objects
    expect([alert.state, server.received]).toEqual(['firing', []])
    await lab.wait(29_999)
    expect(server.received).toEqual([])
    await lab.wait(1)
    const labels = labelsOf('d5')
    const group = { alertname: 'DEVICE_UNMOUNTED', cluster: 'east' }
    const annotations = {
      summary: alert.summary,
      description: 'Mount it, or remove it from the rings.',
      runbook_url: `${lab.publicUrl}/docs/alerts/DEVICE_UNMOUNTED`,
    }
    const firing = {
      version: '4',
      groupKey: '{}:{alertname="DEVICE_UNMOUNTED", cluster="east"}',
      truncatedAlerts: 0,
      status: 'firing',
      receiver: 'on-call',
      groupLabels: group,
      commonLabels: labels,
      commonAnnotations: annotations,
      externalURL: lab.publicUrl,
      alerts: [
        {
          status: 'firing',
          labels,
          annotations,
          startsAt: alert.fired_at,
          endsAt: '0001-01-01T00:00:00Z',
          generatorURL: `${lab.publicUrl}${alert.resource_uri}`,
          fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
        },
      ],
    }
    expect(bodies()).toEqual([firing])
    const [delivery] = await deliveries()
    const name = `${lab.publicUrl}${delivery.resource_uri}`
    expect(server.received[0]).toMatchObject({ method: 'POST', path: '/hook', headers: { 'idempotency-key': name } })
    expect(delivery).toMatchObject({
      state: 'delivered',
      attempts: 1,
      next_at: null,
      error: '',
      code: 'DEVICE_UNMOUNTED',
    })

    await lab.mount()
    await lab.pass(10 * minuteMs)
    const [resolved] = (await get('alerts/?state=resolved')).objects
    expect(bodies()).toEqual([firing, expect.objectContaining({ status: 'resolved' })])
    expect(bodies()[1].alerts).toMatchObject([
      { status: 'resolved', startsAt: alert.fired_at, endsAt: resolved.resolved_at },
    ])
  })

  it('gets one message for alerts of a code and a cluster, with ten of them by name', async () => {
    await lab.addReceiver(webhook())
    await lab.unmount(...Array.from({ length: 25 }, (_, i) => `d${i}`))
    await lab.pass(5 * minuteMs)
    expect(bodies()).toMatchObject([{ status: 'firing', truncatedAlerts: 15 }])
    expect(bodies()[0].alerts).toHaveLength(10)
  })

  it('gets alerts that fire in the next round with the first ones, and later ones after five minutes', async () => {
    await lab.addReceiver(webhook())
    await lab.unmount('d1')
    await lab.pass(0.5 * minuteMs)
    await lab.unmount('d2')
    await lab.pass(0.5 * minuteMs)
    await lab.unmount('d3')
    await lab.pass(3.5 * minuteMs)
    expect(brief()).toEqual(['firing d1, firing d2'])
    await lab.pass(4 * minuteMs)
    expect(brief()).toEqual(['firing d1, firing d2'])
    await lab.pass(0.5 * minuteMs)
    expect(brief()).toEqual(['firing d1, firing d2', 'firing d3, firing d1, firing d2'])
  })

  it('gets a critical alert soon after another message', async () => {
    await lab.addReceiver(webhook())
    const silent = { state: 'offline', lastSeen: new Date(Date.now() - 28 * minuteMs) }
    await lab.api.database.prisma.node.updateMany({ data: silent })
    await lab.pass(3 * minuteMs)
    expect(bodies().map(({ alerts }) => alerts[0].labels.severity)).toEqual(['warning', 'critical'])
  })

  it('that wants neither warnings nor ends gets none', async () => {
    await lab.addReceiver(webhook({ least_severity: 'critical' }))
    await lab.addReceiver(webhook({ enabled: false }))
    await lab.unmount('d5')
    await lab.pass(10 * minuteMs)
    expect(server.received).toEqual([])
    await lab.addReceiver(webhook({ send_resolved: false }))
    await lab.pass(minuteMs)
    await lab.mount()
    await lab.pass(10 * minuteMs)
    expect(brief()).toEqual(['firing d5'])
  })

  it('of a cluster gets the alerts of this one', async () => {
    const { body } = await lab.api.call('/api/v1/alert_receivers/', {
      method: 'POST',
      body: { ...webhook(), name: 'of none', cluster: 999_999 },
    })
    expect(body.error).toBe("Could not find the provided clusters object via resource URI '/api/v1/clusters/999999/'.")
    const { prisma } = lab.api.database
    const { id } = await prisma.cluster.create({ data: { name: 'west' } })
    await lab.addReceiver(webhook({ cluster: `/api/v1/clusters/${id}/` }))
    await lab.unmount('d5')
    await lab.pass(5 * minuteMs)
    expect(server.received).toEqual([])
    await lab.addReceiver(webhook({ cluster: `/api/v1/clusters/${lab.cluster}/` }))
    await lab.pass(minuteMs)
    expect(brief()).toEqual(['firing d5'])
  })

  it('gets no alert that is acknowledged before it is sent, and again when it is acknowledged no longer', async () => {
    await lab.addReceiver(webhook())
    await lab.unmount('d5')
    await lab.pass(3.5 * minuteMs)
    const [alert] = (await get('alerts/')).objects
    await lab.api.patch(alert.resource_uri, { acknowledged: true })
    await lab.pass(10 * minuteMs)
    expect(server.received).toEqual([])
    expect(await deliveries()).toMatchObject([{ state: 'canceled' }])
    await lab.api.patch(alert.resource_uri, { acknowledged: false })
    await lab.pass(minuteMs)
    expect(brief()).toEqual(['firing d5'])
  })
})

describe('250 of 1,000 nodes that vanish', () => {
  it('are one message', async () => {
    await lab.addReceiver(webhook())
    const { prisma } = lab.api.database
    const online = { clusterId: lab.cluster, state: 'online', lastSeen: new Date() }
    const nodes = Array.from({ length: 999 }, (_, i) => ({
      ...online,
      hostname: `n${i}`,
      machineId: `m${i}`,
      bootId: 'b',
      publicKey: new Uint8Array(Buffer.from(`key of ${i}`.padEnd(32))),
    }))
    await prisma.node.createMany({ data: nodes })
    await lab.pass(0.5 * minuteMs)
    const all = await prisma.node.findMany({ orderBy: { id: 'asc' } })
    const ids = all.slice(0, 250).map(({ id }) => id)
    await prisma.node.updateMany({ where: { id: { in: ids } }, data: { state: 'offline' } })
    await lab.pass(10 * minuteMs)
    expect(bodies().map(({ groupLabels, alerts }) => [groupLabels.alertname, alerts.length])).toEqual([
      ['CLUSTER_SILENT', 1],
    ])
  }, 300_000)
})
