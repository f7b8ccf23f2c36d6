import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { labelsOf, useAlertLab } from '../support/alerts/alert-lab.js'
import { startReceivingServer } from '../support/alerts/receiving-server.js'
import type { ReceivingServer } from '../support/alerts/receiving-server.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { useFolder } from '../support/programs/folder.js'
import { freePort } from '../support/programs/free-port.js'

const isEnabled = process.getuid?.() === 0 && process.env['ROOST_TEST_SYSTEM'] === '1'
const minuteMs = 60_000
// Alertmanager has the clock of this machine: what ends in the lab has ended there.
const lab = useAlertLab({}, Date.now() - 9 * minuteMs)

async function isReady(url: string): Promise<void> {
  if (!(await fetch(`${url}/-/ready`)).ok) throw new Error('Alertmanager is not ready.')
}

describe.skipIf(!isEnabled)("Debian's Alertmanager (as root, with ROOST_TEST_SYSTEM=1)", () => {
  let url: string
  let own: ReceivingServer
  let ended: Promise<unknown>
  let stop: () => void
  beforeAll(async () => {
    own = await startReceivingServer()
    const [folder, port] = [await useFolder('alertmanager'), await freePort()]
    url = `http://127.0.0.1:${port}`
    const config = join(folder, 'alertmanager.json')
    const route = { receiver: 'own', group_by: ['alertname', 'cluster'], group_wait: '1s', group_interval: '1s' }
    const receivers = [{ name: 'own', webhook_configs: [{ url: own.url }] }]
    // JSON is YAML.
    await writeFile(config, JSON.stringify({ route, receivers }))
    const args = [`--config.file=${config}`, `--storage.path=${folder}`, `--web.listen-address=127.0.0.1:${port}`]
    const server = spawn('prometheus-alertmanager', [...args, '--cluster.listen-address='], { stdio: 'ignore' })
    ended = new Promise((resolve) => server.once('exit', resolve))
    stop = () => void server.kill()
    await vi.waitFor(() => isReady(url), waitTimeoutMs)
  })
  afterAll(async () => {
    stop()
    await ended
    await own.stop()
  })

  const alerts = async () => (await (await fetch(`${url}/api/v2/alerts`)).json()) as readonly { labels: object }[]

  it('has an alert by its name and labels until it is resolved, and sends what our webhooks get', async () => {
    const webhook = await startReceivingServer()
    await lab.addReceiver({ kind: 'alertmanager', settings: { urls: [url] } })
    await lab.addReceiver({ name: 'own', kind: 'webhook', settings: { url: webhook.url } })
    await lab.unmount('d5')
    await lab.pass(3.5 * minuteMs)
    const labels = labelsOf('d5')
    expect((await alerts()).map((one) => one.labels)).toEqual([labels])
    await lab.pass(0.5 * minuteMs)
    await vi.waitFor(() => expect(own.received).toHaveLength(1), waitTimeoutMs)
    const [theirs, ours] = [own.received[0]?.body, webhook.received[0]?.body]
    // Go writes no zeros at the end of a fraction of a second.
    const { fingerprint, startsAt } = theirs.alerts[0]
    expect(Date.parse(startsAt)).toBe(Date.parse(ours.alerts[0].startsAt))
    const { externalURL } = theirs
    expect(fingerprint).toMatch(/^[0-9a-f]{16}$/)
    expect(theirs).toEqual({ ...ours, externalURL, alerts: [{ ...ours.alerts[0], fingerprint, startsAt }] })

    await lab.mount()
    await lab.pass(minuteMs)
    await vi.waitFor(async () => expect(await alerts()).toEqual([]), waitTimeoutMs)
    await vi.waitFor(() => expect(own.received.at(-1)?.body.status).toBe('resolved'), waitTimeoutMs)
    await webhook.stop()
  })
})
