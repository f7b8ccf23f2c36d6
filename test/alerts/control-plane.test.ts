import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { useAlertLab } from '../support/alerts/alert-lab.js'
import { startReceivingServer } from '../support/alerts/receiving-server.js'
import type { ReceivingServer } from '../support/alerts/receiving-server.js'

const lab = useAlertLab()
const [minuteMs, dayMs] = [60_000, 86_400_000]

/** Records a backup that was made so long ago. */
const backUp = (agoMs: number) => {
  const last = { path: '/var/lib/roost-backup/1.roost', created: new Date(Date.now() - agoMs).toISOString() }
  return writeFile(join(lab.api.controlPlane.dataDir, 'last-backup.json'), JSON.stringify(last))
}
const list = async (query: string) => (await lab.api.get(`/api/v1/alerts/?code=BACKUP_OLD&${query}`)).body.objects
const briefly = async (query = '') =>
  (await list(query)).map(({ subject, state }: Readonly<Record<string, string>>) => `${subject} ${state}`)

/** Lets the last backup become too old. */
async function becomeOld(): Promise<void> {
  await backUp(2 * dayMs)
  await lab.pass(minuteMs)
}

describe('an alert of the control plane', () => {
  beforeEach(() => backUp(0))

  it('is of no cluster, begins when a backup is two days old, and ends with the next one', async () => {
    await backUp(2 * dayMs - minuteMs)
    await lab.pass(minuteMs)
    expect(await briefly()).toEqual([])
    await lab.pass(minuteMs / 2)
    expect(await list('')).toMatchObject([
      {
        cluster: null,
        node: null,
        hostname: '',
        severity: 'warning',
        state: 'firing',
        threshold: 172_800,
        summary: 'The last backup of the control plane is 2 days old.',
        doc: '/docs/alerts/BACKUP_OLD',
      },
    ])
    await backUp(0)
    await lab.pass(minuteMs)
    expect([await briefly(), await briefly('state=resolved')]).toEqual([[], ['backup resolved']])
  })

  it('fires where no backup was ever made, two days after the installation', async () => {
    const { prisma } = lab.api.database
    const { installedAt } = await prisma.installation.findFirstOrThrow()
    await writeFile(join(lab.api.controlPlane.dataDir, 'last-backup.json'), '')
    const installed = (agoMs: number) =>
      prisma.installation.updateMany({ data: { installedAt: new Date(Date.now() - agoMs) } })
    await installed(2 * dayMs - minuteMs)
    await lab.pass(minuteMs)
    expect(await briefly()).toEqual([])
    await lab.pass(minuteMs / 2)
    expect(await briefly()).toEqual(['backup firing'])
    await prisma.installation.updateMany({ data: { installedAt } })
  })

  it('concerns every cluster, and is listed with those of one or alone', async () => {
    await becomeOld()
    const { cluster } = lab
    expect(await briefly(`concerns=${cluster}`)).toEqual(['backup firing'])
    expect(await briefly('of_control_plane=true')).toEqual(['backup firing'])
    expect([await briefly(`cluster=${cluster}`), await briefly('of_control_plane=false')]).toEqual([[], []])
    await lab.unmount('d5')
    await lab.pass(4 * minuteMs)
    const codes = async (query: string) =>
      (await lab.api.get(`/api/v1/alerts/?order_by=code&${query}`)).body.objects.map(
        ({ code }: { code: string }) => code,
      )
    expect(await codes(`concerns=${cluster}`)).toEqual(['BACKUP_OLD', 'DEVICE_UNMOUNTED'])
    expect(await codes(`concerns=${cluster + 1}`)).toEqual(['BACKUP_OLD'])
  })

  it('has an empty cluster on /metrics, and no part in the health of one', async () => {
    await becomeOld()
    const metrics = (await lab.api.get('/metrics')).text
    expect(metrics).toContain(
      'roost_alert{code="BACKUP_OLD",severity="warning",cluster="",node="",subject="backup",silenced="false"} 1',
    )
    expect((await lab.api.get(`/api/v1/clusters/${lab.cluster}/health/`)).body).toMatchObject({
      verdict: 'ok',
      reasons: [],
    })
  })

  it('is silent by a silence that names no cluster, not by one of a cluster', async () => {
    await becomeOld()
    const silence = async (matchers: object) => {
      const ends_at = new Date(Date.now() + dayMs).toISOString()
      const { status, body } = await lab.api.call('/api/v1/alert_silences/', {
        method: 'POST',
        body: { matchers, ends_at },
      })
      expect(status).toBe(201)
      return body.resource_uri as string
    }
    const ofCluster = await silence({ cluster: lab.cluster })
    expect(await briefly('silenced=true')).toEqual([])
    const ofCode = await silence({ code: 'BACKUP_OLD' })
    expect(await briefly('silenced=true')).toEqual(['backup firing'])
    for (const uri of [ofCluster, ofCode]) await lab.api.call(uri, { method: 'DELETE' })
  })

  it('can be acknowledged', async () => {
    await becomeOld()
    const [{ resource_uri: uri }] = await list('')
    expect((await lab.api.patch(uri, { acknowledged: true })).body).toMatchObject({ cluster: null, acknowledged: true })
    expect(await briefly('needs_action=true')).toEqual([])
  })
})

describe('receivers', () => {
  let server: ReceivingServer
  beforeEach(async () => {
    server = await startReceivingServer()
    await backUp(0)
  })
  afterEach(() => server.stop())

  it('of all clusters get alerts of the control plane without the label of one, and those of one cluster do not', async () => {
    await lab.addReceiver({ kind: 'webhook', settings: { url: `${server.url}/all` } })
    await lab.addReceiver({ kind: 'webhook', settings: { url: `${server.url}/one` }, cluster: lab.cluster })
    await lab.addReceiver({ kind: 'alertmanager', settings: { urls: [server.url] } })
    await becomeOld()
    await lab.pass(minuteMs)
    const labels = { alertname: 'BACKUP_OLD', severity: 'warning', subject: 'backup' }
    const [webhook] = server.received.filter(({ path }) => path === '/all')
    expect(webhook?.body).toMatchObject({
      groupKey: '{}:{alertname="BACKUP_OLD"}',
      groupLabels: { alertname: 'BACKUP_OLD' },
    })
    expect(webhook?.body.alerts.map((alert: { labels: object }) => alert.labels)).toEqual([labels])
    const posted = server.received.find(({ path }) => path === '/api/v2/alerts')
    expect(posted?.body.map((alert: { labels: object }) => alert.labels)).toEqual([labels])
    expect(server.received.filter(({ path }) => path === '/one')).toEqual([])
    expect((await lab.api.get('/api/v1/alert_deliveries/')).body.objects).toMatchObject([
      { code: 'BACKUP_OLD', cluster: null, state: 'delivered' },
    ])
    await backUp(0)
    await lab.pass(2 * minuteMs)
    await lab.pass(5 * minuteMs)
    expect(server.received.filter(({ path }) => path === '/all').map(({ body }) => body.status)).toEqual([
      'firing',
      'resolved',
    ])
  })
})
