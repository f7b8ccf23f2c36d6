import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { enterConsole, hasBrowser, settled } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'
import { addScreenRecords, screenPaths } from '../support/console/screens.js'

describe.skipIf(!hasBrowser)('the display of the console', () => {
  const lab = useConsole(addScreenRecords)

  async function open(path: string, timeZone: string) {
    const visitor = await lab.visit({ timeZone })
    const page = await visitor.open(path)
    await enterConsole(page, lab.api.key)
    await settled(page)
    return { visitor, page }
  }

  const choose = async (page: Page, choice: string, value: string) => {
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('group', { name: choice }).getByRole('button', { name: value, exact: true }).click()
    await page.keyboard.press('Escape')
  }
  const firstTime = (page: Page) => page.getByRole('table').locator('time').first()

  it('has times of the local zone with UTC on hover, or UTC alone', async () => {
    const { visitor, page } = await open('/audit', 'Asia/Tokyo')
    const at = new Date((await firstTime(page).getAttribute('datetime')) ?? '')
    const utc = `${at.toISOString().slice(0, 10)} ${at.toISOString().slice(11, 19)} UTC`
    const inTokyo = new Date(at.getTime() + 9 * 3_600_000).toISOString().slice(11, 19)
    expect(await firstTime(page).innerText()).toContain(inTokyo)
    expect(await firstTime(page).getAttribute('title')).toBe(`${await firstTime(page).innerText()}\n${utc}`)
    // The choice is a change, too, and comes first from now on.
    const same = page.getByRole('table').locator(`time[datetime="${await firstTime(page).getAttribute('datetime')}"]`)
    await choose(page, 'Times', 'UTC')
    await page.reload()
    await settled(page)
    expect(await same.first().innerText()).toContain(`${at.toISOString().slice(11, 19)} UTC`)
    visitor.expectNoErrors(/status of 401/)
  })

  it('has rows of the height, and bytes in the units, that an operator chooses', async () => {
    const { visitor, page } = await open('/devices', 'UTC')
    const row = page.getByRole('row').filter({ hasText: 'd0' })
    const height = async () => (await row.boundingBox())?.height
    expect(await height()).toBe(34)
    expect(await row.innerText()).toContain('8 TB')
    await choose(page, 'Rows', 'Compact')
    await choose(page, 'Units', 'TiB')
    await page.reload()
    await settled(page)
    expect(await height()).toBe(28)
    expect(await row.innerText()).toContain('7.28 TiB')
    visitor.expectNoErrors(/status of 401/)
  })

  it('prints each screen without what only a screen needs', async () => {
    const { visitor, page } = await open('/', 'UTC')
    await page.emulateMedia({ media: 'print' })
    const faults: string[] = []
    for (const path of screenPaths) {
      await page.goto(path)
      await settled(page)
      const shown = await page.evaluate<readonly string[]>(
        "['nav[aria-label=Screens]', '.top', '.page-actions', '.skip'].filter((each) => document.querySelector(each)?.checkVisibility())",
      )
      const heading = await page.locator('h1').isVisible()
      // What scrolls on a screen would be cut on paper.
      const cut = await page.evaluate<number>(
        "Math.max(0, ...[...document.querySelectorAll('main, main *')].filter((one) => one.clientHeight > 0 && /auto|scroll|hidden/.test(getComputedStyle(one).overflowY) && !one.closest('.sr, .meter, select, textarea, input')).map((one) => one.scrollHeight - one.clientHeight))",
      )
      if (shown.length > 0 || !heading || cut > 1) faults.push(`${path}: ${shown.join(' ')} ${heading} ${cut}`)
    }
    expect(faults).toEqual([])
    visitor.expectNoErrors(/status of 401/)
  })
})
