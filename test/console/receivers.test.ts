import { describe, expect, it, onTestFinished } from 'vitest'
import { startReceivingServer } from '../support/alerts/receiving-server.js'
import { faultsOf } from '../support/console/browser.js'
import { hasBrowser, settled } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'

describe.skipIf(!hasBrowser)('receivers in the console', () => {
  const lab = useConsole(undefined, { ROOST_ALERT_NETWORKS: '127.0.0.0/8' })

  const add = async (name: string): Promise<number> => {
    const body = { name, kind: 'webhook', settings: { url: `https://alerts.example/${name}` } }
    const { status, body: created } = await lab.api.call('/api/v1/alert_receivers/', { method: 'POST', body })
    expect(status).toBe(201)
    return created.id
  }
  const settingsOf = async (id: number) =>
    (await lab.api.database.prisma.alertReceiver.findUniqueOrThrow({ where: { id } })).settings

  it('get another name and other alerts, and keep their secret settings', async () => {
    await add('taken')
    const id = await add('on-call')
    const settings = await settingsOf(id)
    const { visitor, page } = await lab.enter('/alerts/receivers')
    const row = (name: string) => page.getByRole('row').filter({ hasText: name })
    const dialog = page.getByRole('dialog')
    await row('on-call').getByRole('button', { name: 'Change …' }).press('Enter')
    await dialog.getByLabel('Name').fill('taken')
    await dialog.getByRole('button', { name: 'Save receiver' }).click()
    await dialog.locator('[aria-invalid="true"]').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await dialog.getByLabel('Name').fill('night shift')
    await dialog.getByLabel('Urgency').selectOption('critical')
    await dialog.getByLabel('Also send the end of an alert').uncheck()
    await page.keyboard.press('Enter')
    await expect.poll(() => row('night shift').innerText()).toContain('critical alerts only')
    const { body } = await lab.api.get(`/api/v1/alert_receivers/${id}/`)
    expect(body).toMatchObject({ name: 'night shift', least_severity: 'critical', send_resolved: false, enabled: true })
    expect(await settingsOf(id)).toEqual(settings)
    await settled(page)
    expect(await faultsOf(page)).toEqual([])
    visitor.expectNoErrors(/status of (400|401)/)
  })

  it('send elsewhere with another login, once all settings are given again', async () => {
    const id = await add('moved')
    const server = await startReceivingServer()
    onTestFinished(() => server.stop())
    const { visitor, page } = await lab.enter('/alerts/receivers')
    const row = page.getByRole('row').filter({ hasText: 'moved' })
    const dialog = page.getByRole('dialog')
    const change = () => row.getByRole('button', { name: 'Change …' }).click()
    await change()
    await dialog.getByLabel('Name').waitFor()
    expect(await dialog.getByLabel('URL').count()).toBe(0)
    const replaces = dialog.getByLabel('Replace where and with which login it sends')
    await replaces.check()
    await dialog.getByText('It sends to https://alerts.example now.').waitFor()
    await dialog.getByRole('button', { name: 'Save receiver' }).click()
    await dialog.locator('[aria-invalid="true"]').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await dialog.getByLabel('URL').fill(`${server.url}/hooks/very-secret`)
    await dialog.getByLabel('Authorization').fill('Bearer also-secret')
    await dialog.getByRole('button', { name: 'Save receiver' }).click()
    await expect.poll(() => row.innerText()).toContain(server.url)
    const { body: test } = await lab.api.call(`/api/v1/alert_receivers/${id}/test/`, { method: 'POST', body: {} })
    expect(test).toMatchObject({ delivered: true })
    expect(server.received).toMatchObject([
      { path: '/hooks/very-secret', headers: { authorization: 'Bearer also-secret' } },
    ])
    await change()
    await replaces.check()
    expect(await dialog.getByLabel('URL').inputValue()).toBe('')
    expect(await dialog.getByLabel('Authorization').inputValue()).toBe('')
    expect(await page.content()).not.toMatch(/very-secret|also-secret/)
    visitor.expectNoErrors(/status of (400|401)/)
  })
})
