import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { faultsOf } from '../support/console/browser.js'
import { hasBrowser, logIn, settled } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'
import { addScreenRecords } from '../support/console/screens.js'

describe.skipIf(!hasBrowser)('what an operator has stored', () => {
  const lab = useConsole(addScreenRecords)

  const dialog = (page: Page) => page.getByRole('dialog', { name: 'Views' })
  const parameter = (page: Page, name: string) => new URL(page.url()).searchParams.get(name)
  const choose = async (page: Page, choice: string, value: string) => {
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('group', { name: choice }).getByRole('button', { name: value, exact: true }).click()
    await page.keyboard.press('Escape')
  }

  it('is a view of a list, which is opened, renamed and removed, also from another browser', async () => {
    const { visitor, page } = await lab.enter('/nodes?state__not=pending&order=-hostname')
    await settled(page)
    await page.getByRole('button', { name: 'Views' }).click()
    await dialog(page).getByText('Nothing is saved of this list yet.', { exact: false }).waitFor()
    await dialog(page).getByRole('textbox', { name: 'Save this view as' }).fill('Running')
    await page.keyboard.press('Enter')
    await expect.poll(() => dialog(page).count()).toBe(0)
    expect((await lab.api.get('/api/v1/views/')).body.objects).toMatchObject([
      { name: 'Running', address: expect.stringMatching(/^\/nodes\?.*state__not=pending/) },
    ])

    const other = await lab.enter('/nodes')
    await other.page.getByRole('button', { name: 'Views' }).click()
    await dialog(other.page).getByRole('button', { name: 'Rename Running' }).click()
    await dialog(other.page).getByRole('textbox', { name: 'Rename Running' }).fill('In use')
    await other.page.keyboard.press('Enter')
    const link = dialog(other.page).getByRole('link', { name: 'In use' })
    await link.waitFor()
    expect(await faultsOf(other.page)).toEqual([])
    await link.click()
    await expect.poll(() => parameter(other.page, 'state__not')).toBe('pending')
    expect(parameter(other.page, 'order')).toBe('-hostname')

    await other.page.goto(other.page.url().replace(/nodes.*/, 'audit'))
    await settled(other.page)
    await other.page.keyboard.press('Control+k')
    await other.page.getByRole('combobox', { name: 'Go to' }).fill('in use')
    await other.page.getByRole('option', { name: 'In use' }).waitFor()
    await other.page.keyboard.press('Enter')
    await expect.poll(() => new URL(other.page.url()).pathname).toBe('/nodes')
    await expect.poll(() => parameter(other.page, 'state__not')).toBe('pending')
    await other.page.getByRole('button', { name: 'Views' }).click()
    await dialog(other.page).getByRole('button', { name: 'Remove …' }).click()
    await other.page.getByRole('button', { name: 'Remove the view' }).click()
    await expect.poll(async () => (await lab.api.get('/api/v1/views/')).body.objects).toEqual([])
    for (const each of [visitor, other.visitor]) each.expectNoErrors(/status of 401/)
  })

  it('is the map of devices, which is opened as a map', async () => {
    const { visitor, page } = await lab.enter('/devices?view=map')
    await settled(page)
    await page.getByRole('button', { name: 'Views' }).click()
    await dialog(page).getByRole('textbox', { name: 'Save this view as' }).fill('By fullness')
    await page.keyboard.press('Enter')
    await expect.poll(() => dialog(page).count()).toBe(0)
    await page.goto(page.url().replace('?view=map', ''))
    await settled(page)
    await page.getByRole('button', { name: 'Views' }).click()
    await dialog(page).getByRole('link', { name: 'By fullness' }).click()
    await expect.poll(() => parameter(page, 'view')).toBe('map')
    visitor.expectNoErrors(/status of 401/)
  })

  it('is how the console is displayed, in another browser too, with its language', async () => {
    const { visitor, page } = await lab.enter('/devices')
    await settled(page)
    await choose(page, 'Theme', 'Dark')
    await choose(page, 'Rows', 'Compact')
    await choose(page, 'Language', 'Deutsch')
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('Geräte')
    const stored = { theme: 'dark', density: 'compact', language: 'de' }
    await expect.poll(async () => (await lab.api.get('/api/v1/preferences/')).body).toMatchObject(stored)
    const other = await lab.visit()
    const elsewhere = await other.open('/devices')
    await logIn(elsewhere, lab.api.key)
    await expect.poll(() => elsewhere.getByRole('heading', { level: 1 }).innerText()).toBe('Geräte')
    expect(await elsewhere.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    expect(await elsewhere.evaluate('document.documentElement.dataset.density')).toBe('compact')
    for (const each of [visitor, other]) each.expectNoErrors(/status of 401/)
  })

  it('is nothing for an operator who can only read: its display stays in the browser', async () => {
    const key = await lab.api.addOperator({ name: 'reader', role: 'read_only' })
    const { visitor, page } = await lab.enter('/nodes', key)
    await settled(page)
    await choose(page, 'Theme', 'Dark')
    await page.reload()
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    await page.getByRole('button', { name: 'Views' }).click()
    const save = dialog(page).getByRole('button', { name: 'Save' })
    expect(await save.getAttribute('aria-disabled')).toBe('true')
    expect(await save.getAttribute('title')).toContain('read-only operator')
    visitor.expectNoErrors(/status of 401/)
  })
})
