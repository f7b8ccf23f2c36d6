import type { Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { faultsOf } from '../support/console/browser.js'
import { hasBrowser, settled } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'

const patience = { timeout: waitTimeoutMs }
const count = 12

describe.skipIf(!hasBrowser)('leaving a screen while several rows are changed', () => {
  const lab = useConsole()

  afterEach(() => lab.api.database.prisma.user.deleteMany())

  const dialog = (page: Page) => page.getByRole('dialog')
  const press = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true }).click()
  const question = (page: Page) => dialog(page).getByText('No other record is begun once you leave.', { exact: false })
  const path = (page: Page) => new URL(page.url()).pathname
  const disabled = () => lab.api.database.prisma.user.count({ where: { enabled: false } })

  /** Begins to disable all users, and has the server receive nothing of it until `release`. */
  async function begin() {
    for (let i = 1; i <= count; i += 1) {
      const body = { user: `u${i}`, cluster: `/api/v1/clusters/${lab.cluster}/`, password: 'correct-horse-battery' }
      expect((await lab.api.call('/api/v1/users/', { method: 'POST', body })).status).toBe(201)
    }
    const { visitor, page } = await lab.enter('/drift')
    await page.getByRole('link', { name: 'Users', exact: true }).click()
    await page.getByRole('checkbox', { name: `Select all ${count} that match` }).click()
    await page.getByRole('group', { name: 'Selected rows' }).getByRole('button', { name: 'Disable' }).click()
    let release = () => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    await visitor.context.route(/users\.change/, async (route) => {
      await gate
      return route.continue()
    })
    await press(page, 'Disable')
    await dialog(page).getByRole('progressbar').waitFor()
    return { visitor, page, release }
  }

  it('asks, and goes on when one stays', async () => {
    const { visitor, page, release } = await begin()
    await page.evaluate('history.back()')
    await question(page).waitFor(patience)
    expect(await faultsOf(page)).toEqual([])
    await press(page, 'Cancel')
    await dialog(page).getByRole('progressbar').waitFor()
    await expect.poll(() => path(page)).toBe('/users')
    release()
    await dialog(page).getByText(`${count} of ${count} done.`).waitFor(patience)
    expect(await disabled()).toBe(count)
    await press(page, 'Done')
    // Nothing is under way now.
    await page.evaluate('history.back()')
    await expect.poll(() => path(page)).toBe('/drift')
    visitor.expectNoErrors(/status of 401/)
  })

  it('stops the change when one leaves, and says how far it came on the next screen', async () => {
    const { visitor, page, release } = await begin()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Go to' }).fill('audit')
    await page.getByRole('option', { name: 'Audit' }).first().click()
    await question(page).waitFor(patience)
    await press(page, 'Stop and leave')
    await expect.poll(() => path(page)).toBe('/audit')
    release()
    await page.getByText('Disable 12 users: 4 of 12 done, 0 failed, 8 not begun.').waitFor(patience)
    expect(await disabled()).toBe(4)
    await settled(page)
    visitor.expectNoErrors(/status of 401/)
  })

  it('shows how it ended when it ends before the answer', async () => {
    const { visitor, page, release } = await begin()
    await page.evaluate('history.back()')
    await question(page).waitFor(patience)
    release()
    await dialog(page).getByText(`${count} of ${count} done.`).waitFor(patience)
    await expect.poll(() => path(page)).toBe('/users')
    expect(await question(page).count()).toBe(0)
    visitor.expectNoErrors(/status of 401/)
  })

  it('asks before the tab is closed', async () => {
    const { visitor, page, release } = await begin()
    const [asked] = await Promise.all([page.waitForEvent('dialog'), page.close({ runBeforeUnload: true })])
    expect(asked.type()).toBe('beforeunload')
    await asked.dismiss()
    release()
    await dialog(page).getByText(`${count} of ${count} done.`).waitFor(patience)
    expect(await disabled()).toBe(count)
    visitor.expectNoErrors(/status of 401/)
  })
})
