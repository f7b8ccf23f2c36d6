import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { labelsOf, useAlertLab } from '../support/alerts/alert-lab.js'
import { startReceivingServer } from '../support/alerts/receiving-server.js'
import type { ReceivingServer } from '../support/alerts/receiving-server.js'

const minuteMs = 60_000
const lab = useAlertLab()
const at = (ms: number) => new Date(Date.now() + ms).toISOString()

describe('an Alertmanager', () => {
  let instances: readonly ReceivingServer[]
  beforeEach(async () => {
    instances = await Promise.all([startReceivingServer(), startReceivingServer()])
  })
  afterEach(() => Promise.all(instances.map((instance) => instance.stop())))

  const add = (more: object = {}) =>
    lab.addReceiver({ kind: 'alertmanager', settings: { urls: instances.map(({ url }) => `${url}/am/`) }, ...more })
  const counts = () => instances.map(({ received }) => received.length)

  it('gets what fires on every instance, again each minute for four minutes, and its end', async () => {
    await add()
    await lab.unmount('d5')
    await lab.pass(3.5 * minuteMs)
    const [alert] = (await lab.api.get('/api/v1/alerts/')).body.objects
    const labels = labelsOf('d5')
    const posted = {
      labels,
      annotations: {
        summary: alert.summary,
        description: alert.remedy,
        runbook_url: `${lab.publicUrl}/docs/alerts/DEVICE_UNMOUNTED`,
      },
      startsAt: alert.fired_at,
      endsAt: at(4 * minuteMs),
      generatorURL: `${lab.publicUrl}${alert.resource_uri}`,
    }
    for (const { received } of instances)
      expect(received).toMatchObject([{ method: 'POST', path: '/am/api/v2/alerts', body: [posted] }])
    await lab.wait(minuteMs - 1)
    expect(counts()).toEqual([1, 1])
    await lab.wait(1)
    expect(counts()).toEqual([2, 2])
    expect(instances[0]?.received[1]?.body).toEqual([{ ...posted, endsAt: at(4 * minuteMs) }])
    await lab.mount()
    await lab.pass(minuteMs)
    const [resolved] = (await lab.api.get('/api/v1/alerts/?state=resolved')).body.objects
    expect(instances[1]?.received.at(-1)?.body).toEqual([{ ...posted, endsAt: resolved.resolved_at }])
    await lab.wait(20 * minuteMs)
    const ended = counts()
    await lab.wait(20 * minuteMs)
    expect(counts()).toEqual(ended)
  })

  it('is informed when one of its instances is down, which the receiver shows', async () => {
    const id = await add()
    await instances[0]?.stop()
    await lab.unmount('d5')
    await lab.pass(3.5 * minuteMs)
    expect(instances[1]?.received).toHaveLength(1)
    const { body } = await lab.api.get(`/api/v1/alert_receivers/${id}/`)
    expect(body.last_error).toContain('ECONNREFUSED')
  })

  it('gets neither what is acknowledged, nor warnings or ends that it does not want', async () => {
    await add({ least_severity: 'critical' })
    await add({ send_resolved: false })
    await lab.unmount('d5')
    await lab.pass(3.5 * minuteMs)
    expect(counts()).toEqual([1, 1])
    const [alert] = (await lab.api.get('/api/v1/alerts/')).body.objects
    await lab.api.patch(alert.resource_uri, { acknowledged: true })
    await lab.wait(5 * minuteMs)
    await lab.mount()
    await lab.pass(2 * minuteMs)
    expect(counts()).toEqual([1, 1])
  })

  it('that was never sent anything before is tested', async () => {
    const id = await add()
    const { body } = await lab.api.call(`/api/v1/alert_receivers/${id}/test/`, { method: 'POST', body: {} })
    expect(body).toEqual({ delivered: true, error: '' })
    expect(instances.map(({ received }) => received[0]?.body[0].labels.alertname)).toEqual(['TEST', 'TEST'])
  })
})
