import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { faultsOf, useBrowser } from '../support/console/browser.js'
import { hasBrowser, enterConsole, settled } from '../support/console/chromium.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'

describe.skipIf(!hasBrowser)('the rules of alerts in the console', () => {
  const visit = useBrowser()
  let api: TestApi
  beforeAll(async () => {
    api = await startApi()
  })
  afterAll(() => api.stop())

  const dialogOf = (page: Page) => page.getByRole('dialog')
  const press = (page: Page, name: string) => dialogOf(page).getByRole('button', { name, exact: true }).click()
  const rows = (page: Page, table: string) => page.getByRole('region', { name: table }).getByRole('row').allInnerTexts()
  const open = async () => {
    const visitor = await visit(api.url)
    const page = await visitor.open('/alerts/rules')
    await enterConsole(page, api.key)
    return { page, end: () => visitor.expectNoErrors(/status of 401/) }
  }

  it('change the alerts of a code in a cluster, switch them off, and are removed', async () => {
    const { page, end } = await open()
    await page.getByText('Alerts are as the checks say').waitFor()
    await page.getByRole('button', { name: 'New rule' }).click()
    await dialogOf(page).getByLabel('Code').selectOption('POLICY_UNEVEN')
    await dialogOf(page).getByLabel('Cluster').selectOption('default')
    await press(page, 'Save rule')
    await dialogOf(page).getByText('This rule would change nothing.').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await dialogOf(page).getByLabel('Seconds until it fires').fill('604800')
    await press(page, 'Save rule')
    await expect.poll(() => rows(page, 'Changed alerts')).toContainEqual(expect.stringMatching(/POLICY_UNEVEN.*7 d/s))
    expect((await api.get('/api/v1/alert_rules/')).body.objects).toMatchObject([
      { code: 'POLICY_UNEVEN', cluster: expect.any(String), severity: null, for_seconds: 604_800, enabled: true },
    ])
    await page.getByRole('button', { name: 'Change …' }).click()
    await dialogOf(page).getByLabel('The problem is an alert').uncheck()
    await dialogOf(page).getByLabel('Urgency').selectOption('critical')
    await press(page, 'Save rule')
    await expect.poll(() => rows(page, 'Changed alerts')).toContainEqual(expect.stringMatching(/no alerts.*act now/s))
    await page.getByRole('button', { name: 'Remove …' }).click()
    await press(page, 'Remove the rule')
    await page.getByText('Alerts are as the checks say').waitFor()
    expect((await api.get('/api/v1/alert_rules/')).body.meta.total_count).toBe(0)
    await settled(page)
    end()
  })

  it('are limits of metrics, and show what the server refuses at its field', async () => {
    const { page, end } = await open()
    await page.getByRole('button', { name: 'New limit' }).click()
    const fill = (label: string, text: string) => dialogOf(page).getByLabel(label, { exact: true }).fill(text)
    await fill('Name', 'load')
    await fill('Metric', 'load.*')
    await fill('Limit', '64')
    await fill('Ends at', '70')
    await press(page, 'Save limit')
    await dialogOf(page).getByText('It must not be above the threshold.').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await fill('Ends at', '48.5')
    await press(page, 'Save limit')
    await expect
      .poll(() => rows(page, 'Limits of metrics'))
      .toContainEqual(expect.stringMatching(/load.*of each node.*above 64.*ends at 48\.5.*5 min.*every cluster/s))
    await page.getByRole('button', { name: 'Change …' }).click()
    await dialogOf(page).getByLabel('Begins', { exact: true }).selectOption('below')
    await fill('Ends at', '')
    await press(page, 'Save limit')
    await expect.poll(() => rows(page, 'Limits of metrics')).toContainEqual(expect.stringContaining('below 64'))
    expect((await api.get('/api/v1/alert_metric_rules/')).body.objects).toMatchObject([
      { name: 'load', metric: 'load.*', comparison: 'below', threshold: 64, end_threshold: null, for_seconds: 300 },
    ])
    await page.getByRole('button', { name: 'Remove …' }).click()
    await press(page, 'Remove the limit')
    await page.getByText('No metric has a limit').waitFor()
    await settled(page)
    end()
  })

  it('appear when another operator changes them, and cannot be changed by who may only read', async () => {
    const visitor = await visit(api.url)
    const page = await visitor.open('/alerts/rules')
    await enterConsole(page, await api.addOperator({ role: 'read_only' }))
    await page.getByText('Alerts are as the checks say').waitFor()
    const rule = { code: 'DEVICE_FULL', severity: 'critical' }
    expect((await api.call('/api/v1/alert_rules/', { method: 'POST', body: rule })).status).toBe(201)
    await expect.poll(() => rows(page, 'Changed alerts')).toContainEqual(expect.stringContaining('DEVICE_FULL'))
    const changed = page.getByRole('region', { name: 'Changed alerts' })
    const button = changed.getByRole('button', { name: 'Change …' })
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    await button.click({ force: true })
    expect(await dialogOf(page).count()).toBe(0)
    visitor.expectNoErrors(/status of 401/)
  })
})
