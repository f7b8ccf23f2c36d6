import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { addAlert } from '../support/agents/fleet-rows.js'
import { faultsOf } from '../support/console/browser.js'
import { hasBrowser, settled } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'
import { addScreenRecords } from '../support/console/screens.js'

/** The lists of the console: the name of the file, the screen, and what has the same rows in the API. */
const lists = [
  ['nodes', '/nodes', '/nodes/?limit=0'],
  ['devices', '/devices?status=ok', '/devices/?status=ok&limit=0'],
  ['shares', '/shares?protocol=nfs', '/gateway_shares/?protocol=nfs&limit=0'],
  ['users', '/users', '/users/?limit=0'],
  ['alerts', '/alerts?severity=warning', '/alerts/?severity=warning&needs_action=true&limit=0'],
  ['deliveries', '/alerts/deliveries', '/alert_deliveries/?limit=0'],
  ['deployments', '/deployments', '/gateway_deployments/?limit=0'],
  ['audit', '/audit?resource=users', '/audit_events/?resource=users&limit=0'],
] as const

describe.skipIf(!hasBrowser)('the lists of the console', () => {
  const lab = useConsole(async (api) => {
    await addScreenRecords(api)
    const { nodeId } = await api.database.prisma.gatewayShare.findFirstOrThrow()
    const body = { node: `/api/v1/nodes/${nodeId}/` }
    await api.call('/api/v1/gateway_deployments/', { method: 'POST', body })
  })

  /** Returns the lines of the file that the button saves. */
  async function saved(page: Page, name: string): Promise<readonly string[]> {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ])
    expect(download.suggestedFilename()).toBe(`${name}.csv`)
    return (await readFile(await download.path(), 'utf8')).split('\r\n').slice(0, -1)
  }

  const isSame = ({ file, api }: { readonly file: readonly string[]; readonly api: readonly string[] }) =>
    file.join() === api.join()

  it.each(lists)(
    'save %s as CSV, with the filters of the screen and all fields of the API',
    async (name, screen, path) => {
      const { visitor, page } = await lab.enter(screen)
      await settled(page)
      const api = async () => {
        const { objects } = (await lab.api.get(`/api/v1${path}`)).body as {
          objects: readonly { readonly id: number }[]
        }
        return { ids: objects.map(({ id }) => String(id)).toSorted(), fields: Object.keys(objects[0] ?? {}) }
      }
      const file = async () => {
        const [head = '', ...rows] = await saved(page, name)
        const fields = head.split(',').filter(Boolean)
        // No field before it has a comma.
        return { ids: rows.map((row) => row.split(',')[fields.indexOf('id')] ?? '').toSorted(), fields }
      }
      expect((await api()).ids).not.toEqual([])
      // Alerts begin and end while one reads them.
      await expect.poll(async () => ({ file: (await file()).ids, api: (await api()).ids })).toSatisfy(isSame)
      expect((await file()).fields).toEqual(expect.arrayContaining((await api()).fields))
      expect(await faultsOf(page)).toEqual([])
      visitor.expectNoErrors(/status of 401/)
    },
  )

  it('save all deployments of both kinds, also those that the screen has not read, the newest first', async () => {
    const { prisma } = lab.api.database
    const done = { clusterId: lab.cluster, state: 'COMPLETED_SUCCESS', finishedAt: new Date() }
    for (const [kind, count] of [
      ['gateway', 1100],
      ['user_db', 300],
      ['gateway', 20],
    ] as const)
      await prisma.job.createMany({
        data: Array.from({ length: count }, (_, i) => ({ ...done, kind, dryRun: i % 10 === 0 })),
      })
    const { visitor, page } = await lab.enter('/deployments')
    await settled(page)
    const [head = '', ...rows] = await saved(page, 'deployments')
    const column = head.split(',').indexOf('id')
    const jobs = await prisma.job.findMany({ where: { dryRun: false }, orderBy: { id: 'desc' } })
    expect(rows.map((row) => Number(row.split(',')[column]))).toEqual(jobs.map(({ id }) => id))
    visitor.expectNoErrors(/status of 401/)
  })

  it('find who changed a share yesterday in three clicks, and what', async () => {
    const { prisma } = lab.api.database
    const alice = await lab.api.addOperator({ name: 'alice' })
    const { id } = await prisma.gatewayShare.findFirstOrThrow()
    const byAlice = { authorization: `apikey ${alice}` }
    const changed = await lab.api.patch(`/api/v1/gateway_shares/${id}/`, { objectstore_container: 'archive' }, byAlice)
    expect(changed.status).toBe(202)
    const { id: event } = await prisma.auditEvent.findFirstOrThrow({ where: { operator: 'alice' } })
    await prisma.auditEvent.update({ where: { id: event }, data: { at: new Date(Date.now() - 30 * 3_600_000) } })
    const { visitor, page } = await lab.enter('/')
    await page.getByRole('link', { name: 'Shares', exact: true }).click()
    await page.getByRole('link', { name: 'docs', exact: true }).click()
    const changes = page
      .getByRole('region', { name: 'What changed?' })
      .getByRole('listitem')
      .filter({ hasText: 'alice' })
    await changes.getByText('alice changed share', { exact: false }).waitFor()
    expect(await faultsOf(page)).toEqual([])
    await changes.getByRole('link', { name: '1 day ago' }).click()
    await expect.poll(() => page.getByRole('dialog').innerText()).toMatch(/objectstore_container\s+documents → archive/)
    visitor.expectNoErrors(/status of 401/)
  })

  it('find a failed disk from the overview in two clicks', async () => {
    const { prisma } = lab.api.database
    const { id: device, nodeId } = await prisma.device.findFirstOrThrow({ where: { name: 'd3' } })
    const alert = { code: 'DEVICE_FAILED', problem: 'device_failed', subject: 'd3', summary: 'The disk d3 failed.' }
    await addAlert(lab.api.database, lab.cluster, { ...alert, nodeId, deviceId: device, severity: 'critical' })
    const { visitor, page } = await lab.enter('/')
    const item = page.getByRole('region', { name: 'Needs you' }).getByRole('listitem').filter({ hasText: 'd3 failed' })
    await item.getByRole('link', { name: 'Show' }).click()
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'd3' }).innerText()).toContain('failed')
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('st-01')
    visitor.expectNoErrors(/status of 401/)
  })
})
