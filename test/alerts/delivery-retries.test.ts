import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { useAlertLab } from '../support/alerts/alert-lab.js'
import { startReceivingServer } from '../support/alerts/receiving-server.js'
import type { ReceivingServer } from '../support/alerts/receiving-server.js'
import { freePort } from '../support/programs/free-port.js'

const lab = useAlertLab()
let port: number
let server: ReceivingServer | undefined
const receive = async () => (server = await startReceivingServer({ port }))
const hang = async () => {
  await server?.stop()
  server = undefined
}
beforeEach(async () => {
  port = await freePort()
})
afterEach(hang)

const minuteMs = 60_000
const webhook = () => ({ kind: 'webhook', settings: { url: `http://127.0.0.1:${port}/` } })
/** Such as `firing d5, resolved d6`. */
const received = () =>
  (server?.received ?? []).map(({ body: { alerts } }) =>
    alerts
      .map((one: { status: string; labels: { subject: string } }) => `${one.status} ${one.labels.subject}`)
      .join(', '),
  )
const get = async (path: string) => (await lab.api.get(`/api/v1/${path}`)).body
const deliveries = async () => (await get('alert_deliveries/?order_by=id')).objects
/** Fires after three minutes, and is due half a minute later. */
const fire = async (name: string) => {
  await lab.unmount(name)
  await lab.pass(4 * minuteMs)
}

describe('a receiver that fails', () => {
  it('gets the message again after 1, 2, 4 … 60 minutes, and is given up after a day', async () => {
    const { received: requests, ...failing } = Object.assign(await receive(), {
      answer: { status: 503, body: 'too busy' },
    })
    expect(failing.answer.status).toBe(503)
    const receiver = await lab.addReceiver(webhook())
    await fire('d5')
    expect(requests).toHaveLength(1)
    const delays = [1, 2, 4, 8, 16, 32, ...Array.from({ length: 22 }, () => 60)]
    for (const [index, delay] of delays.entries()) {
      await lab.wait(delay * minuteMs - 1)
      expect([index, requests.length]).toEqual([index, index + 1])
      await lab.wait(1)
      expect([index, requests.length]).toEqual([index, index + 2])
    }
    const error = `127.0.0.1:${port} answered with status 503: too busy`
    expect(await deliveries()).toMatchObject([{ state: 'failed', attempts: 29, next_at: null, error }])
    expect(await get(`alert_receivers/${receiver}/`)).toMatchObject({ last_error: error, last_delivered_at: null })
    await lab.wait(100 * minuteMs)
    expect(requests).toHaveLength(29)
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    expect(new Set(requests.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    const { text } = await lab.api.get('/metrics')
    expect(text).toMatch(/^roost_alert_deliveries_total\{result="given_up"\} 1$/m)
    expect(text).toMatch(/^roost_alert_deliveries_waiting 0$/m)
  }, 120_000)

  it('does not delay another one', async () => {
    await lab.addReceiver(webhook())
    const other = await startReceivingServer()
    await lab.addReceiver({ kind: 'webhook', settings: { url: other.url } })
    await fire('d5')
    expect(other.received).toHaveLength(1)
    await other.stop()
  })

  it('gets what waits soon after its settings were changed', async () => {
    const id = await lab.addReceiver({ kind: 'webhook', settings: { url: 'http://127.0.0.1:1/' } })
    await fire('d5')
    await lab.wait(30 * minuteMs)
    await receive()
    await lab.api.patch(`/api/v1/alert_receivers/${id}/`, { settings: webhook().settings })
    await lab.wait(0)
    expect(received()).toEqual(['firing d5'])
  })
})

describe('a receiver that is down for an hour', () => {
  it('gets what it missed, in order and once', async () => {
    await lab.addReceiver(webhook())
    await fire('d5')
    await lab.mount()
    await lab.pass(2 * minuteMs)
    await fire('d6')
    await lab.wait(50 * minuteMs)
    await receive()
    await lab.wait(60 * minuteMs)
    await lab.wait(60 * minuteMs)
    expect(received()).toEqual(['firing d5', 'resolved d5, firing d6'])
    expect(await deliveries()).toMatchObject([{ state: 'delivered' }, { state: 'delivered', attempts: 1 }])
  }, 120_000)
})

describe('a restart', () => {
  it('repeats nothing, and sends what waits at its time', async () => {
    await receive()
    await lab.addReceiver(webhook())
    await fire('d5')
    expect(received()).toEqual(['firing d5'])
    const before = server?.received ?? []
    await hang()
    await lab.pass(5 * minuteMs)
    await fire('d6')
    const [, waiting] = await deliveries()
    expect(waiting).toMatchObject({ state: 'waiting', attempts: 1 })
    await lab.restart(0)
    await receive()
    await lab.wait(Date.parse(waiting.next_at) - Date.now() - 1)
    expect(received()).toEqual([])
    await lab.wait(1)
    expect(received()).toEqual(['firing d6, firing d5'])
    await lab.pass(20 * minuteMs)
    expect([before.length, received().length]).toEqual([1, 1])
  }, 120_000)
})
