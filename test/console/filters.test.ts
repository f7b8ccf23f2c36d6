import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { addCluster, addDevice, addNode } from '../support/agents/fleet-rows.js'
import { faultsOf } from '../support/console/browser.js'
import { hasBrowser, settled } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'

describe.skipIf(!hasBrowser)('the filters of lists', () => {
  const lab = useConsole(async ({ database }) => {
    const cluster = await addCluster(database)
    const add = (hostname: string, state: string, runsGateway = false) =>
      addNode(database, cluster, { hostname, state, role: { create: { runsGateway } } })
    const first = await add('st-01', 'online')
    await add('st-02', 'online')
    await add('gw-01', 'offline', true)
    for (const [serial, status] of Object.entries({ ZA1: 'ok', ZA2: 'ok', ZB3: 'failed' }))
      await addDevice(database, cluster, first, { serial, status })
  })

  const rows = (page: Page) => page.getByRole('table').getAttribute('aria-rowcount')
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const parameter = (page: Page, name: string) => new URL(page.url()).searchParams.get(name)

  it('show how many records have a value, under the other filters', async () => {
    const { visitor, page } = await lab.enter('/nodes')
    await button(page, 'online 2').waitFor()
    await button(page, 'offline 1').waitFor()
    await page.getByRole('group', { name: 'gateway' }).getByRole('button').click()
    await expect.poll(() => parameter(page, 'runs_gateway')).toBe('true')
    await expect.poll(() => rows(page)).toBe('2')
    await expect.poll(() => button(page, 'online 2').count()).toBe(0)
    await button(page, 'offline 1').waitFor()
    await page.goto(page.url().replace(/nodes.*/, 'devices?status=ok'))
    await button(page, 'failed 1').waitFor()
    await expect.poll(() => rows(page)).toBe('3')
    expect(await faultsOf(page)).toEqual([])
    visitor.expectNoErrors(/status of 401/)
  })

  it('are negated by the mouse and by the keyboard, and the address has it', async () => {
    const { visitor, page } = await lab.enter('/nodes?state=offline')
    await expect.poll(() => rows(page)).toBe('2')
    const negate = button(page, 'Everything but this')
    await negate.click()
    await expect.poll(() => rows(page)).toBe('3')
    expect([parameter(page, 'state'), parameter(page, 'state__not')]).toEqual([null, 'offline'])
    expect(await button(page, 'not offline 1').getAttribute('aria-pressed')).toBe('true')
    expect(await faultsOf(page)).toEqual([])
    await page.reload()
    await button(page, 'not offline 1').waitFor()
    await negate.focus()
    await page.keyboard.press('Space')
    await expect.poll(() => parameter(page, 'state')).toBe('offline')
    await button(page, 'offline 1').focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => rows(page)).toBe('4')
    expect(await negate.count()).toBe(0)
    visitor.expectNoErrors(/status of 401/)
  })

  it('find nodes and devices by a part of a serial number, and count what is left', async () => {
    const { visitor, page } = await lab.enter('/nodes')
    await page.getByRole('searchbox', { name: 'Host name, address or serial number …' }).fill('zb')
    await page.keyboard.press('Enter')
    await expect.poll(() => rows(page)).toBe('2')
    await button(page, 'online 1').waitFor()
    await page.goto(page.url().replace(/nodes.*/, 'devices'))
    await button(page, 'ok 2').waitFor()
    await page.getByRole('searchbox', { name: 'Name, serial number or node …' }).fill('zb')
    await page.keyboard.press('Enter')
    await expect.poll(() => parameter(page, 'q')).toBe('zb')
    await expect.poll(() => rows(page)).toBe('2')
    await button(page, 'failed 1').waitFor()
    expect(await button(page, 'ok 2').count()).toBe(0)
    expect(await faultsOf(page)).toEqual([])
    visitor.expectNoErrors(/status of 401/)
  })

  it('find changes in the audit by a part of a name', async () => {
    const body = { cluster: lab.cluster, user: 'carol', password: 'correct-horse-battery-staple' }
    await lab.api.call('/api/v1/users/', { method: 'POST', body })
    const { visitor, page } = await lab.enter('/audit')
    await page.getByRole('searchbox', { name: 'Operator, action or name …' }).fill('CARO')
    await page.keyboard.press('Enter')
    await expect.poll(() => parameter(page, 'q')).toBe('CARO')
    await expect.poll(() => rows(page)).toBe('2')
    await expect.poll(() => page.getByRole('row').nth(1).innerText()).toMatch(/users \d+ carol/)
    await settled(page)
    expect(await faultsOf(page)).toEqual([])
    visitor.expectNoErrors(/status of 401/)
  })
})
