import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { addAlert } from '../support/agents/fleet-rows.js'
import { faultsOf, widthFaults } from '../support/console/browser.js'
import { hasBrowser, enterConsole, settled } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'
import type { Visitor } from '../support/console/browser.js'
import { outOfReach } from '../support/console/reach.js'
import { addScreenRecords, screenPaths } from '../support/console/screens.js'

/** Each screen is judged by axe three times. */
const slow = { timeout: 600_000 }

describe.skipIf(!hasBrowser)('the screens of the console', () => {
  const lab = useConsole(addScreenRecords)

  async function loggedIn(visitor: Visitor): Promise<Page> {
    const page = await visitor.open('/')
    await enterConsole(page, lab.api.key)
    return page
  }

  // One page is shown in all of these: loading it for each takes minutes.
  const settings = {
    light: { theme: 'light', width: 1280, height: 900 },
    dark: { theme: 'dark', width: 1280, height: 900 },
    phone: { theme: 'dark', width: 400, height: 900 },
    zoom: { theme: 'light', width: 640, height: 450 },
  } as const

  async function show(page: Page, setting: keyof typeof settings): Promise<void> {
    const { theme, ...size } = settings[setting]
    await page.emulateMedia({ colorScheme: theme })
    await page.setViewportSize(size)
    await settled(page)
  }

  async function accessFaults(page: Page): Promise<readonly string[]> {
    const faults: string[] = []
    for (const setting of ['light', 'dark', 'phone'] as const) {
      await show(page, setting)
      for (const fault of await faultsOf(page)) faults.push(`${setting}: ${fault}`)
    }
    return faults
  }

  it('are accessible in both themes and on a phone, and lose nothing at a zoom of 200 %', slow, async () => {
    const visitor = await lab.visit()
    const login = await visitor.open('/')
    await expect.poll(() => login.getByRole('button', { name: 'Log in' }).count()).toBe(1)
    const faults = { login: await accessFaults(login) } as Record<string, readonly string[]>
    await login.close()
    const page = await loggedIn(visitor)
    for (const path of screenPaths) {
      await page.goto(path)
      const found = await accessFaults(page)
      await show(page, 'zoom')
      faults[path] = [...found, ...(await widthFaults(page)), ...(await outOfReach(page))]
    }
    expect(Object.entries(faults).filter(([, found]) => found.length > 0)).toEqual([])
    visitor.expectNoErrors()
  })

  it('are all in the list that these tests open', async () => {
    const visitor = await lab.visit()
    const page = await loggedIn(visitor)
    const links = page.getByRole('navigation', { name: 'Screens' }).getByRole('link')
    const paths = await links.evaluateAll((found) => found.map((link) => new URL(String(link.href)).pathname))
    expect(paths.length).toBeGreaterThan(10)
    expect(screenPaths).toEqual(expect.arrayContaining(paths))
  })

  it('show alerts of the control plane', async () => {
    const visitor = await lab.visit()
    const page = await loggedIn(visitor)
    const old = { code: 'BACKUP_OLD', problem: 'backup_old', subject: 'backup', summary: 'The last backup is old.' }
    for (const path of ['/', '/alerts']) {
      // Rounds of the health end it within a minute.
      await addAlert(lab.api.database, null, old)
      await page.goto(path)
      const main = page.getByRole('main')
      await expect.poll(() => main.innerText()).toContain('The last backup is old.')
      expect(await main.innerText()).toContain('Control plane')
    }
    visitor.expectNoErrors()
  })

  it('lose nothing at a zoom of 400 % in German, which has the longer words', async () => {
    const visitor = await lab.visit({ width: 320, height: 256, scale: 4 })
    const page = await loggedIn(visitor)
    await page.evaluate(`localStorage.setItem('roost.display', '{"language":"de"}')`)
    const faults: (readonly [path: string, faults: readonly string[]])[] = []
    for (const path of screenPaths) {
      await page.goto(path)
      await settled(page)
      faults.push([path, [...(await widthFaults(page)), ...(await outOfReach(page))]])
    }
    expect(faults.filter(([, found]) => found.length > 0)).toEqual([])
    visitor.expectNoErrors()
  })

  it('are judged by an axe that finds faults, and by a search for what is out of reach', async () => {
    const visitor = await lab.visit()
    const page = await loggedIn(visitor)
    await settled(page)
    expect(await outOfReach(page)).toEqual([])
    await page.evaluate("document.body.append(document.createElement('img'))")
    await expect.poll(() => faultsOf(page)).toContainEqual(expect.stringMatching(/^image-alt: /))
    const add = `((position) => {
      const button = Object.assign(document.createElement('button'), { textContent: 'far' })
      Object.assign(button.style, { position: 'fixed', ...position })
      document.querySelector('main').append(button)
    })`
    await page.evaluate(`${add}({ left: '3000px', top: '0' })`)
    expect(await outOfReach(page)).toEqual(['cut: button far', 'covered: button far is outside of the window'])
    await page.evaluate(`document.querySelector('main button[style]').remove()`)
    await page.evaluate(`${add}({ top: '100px', width: '40px', height: '10px', padding: '0', lineHeight: '30px' })`)
    expect(await outOfReach(page)).toEqual(['spilled: button far'])
    await page.evaluate(`document.querySelector('main button[style]').remove()`)
    await page.evaluate(`${add}({ top: '100px', width: '9px', padding: '0', overflow: 'clip' })`)
    expect(await outOfReach(page)).toEqual(['squeezed: button far'])
  })

  it('are reached by the keyboard alone', async () => {
    const visitor = await lab.visit()
    const page = await loggedIn(visitor)
    await page.keyboard.press('g')
    await page.keyboard.press('n')
    await expect.poll(() => headingOf(page)).toBe('Nodes')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Go to' }).waitFor()
    await page.keyboard.type('audit')
    await page.keyboard.press('Enter')
    await expect.poll(() => headingOf(page)).toBe('Audit')
    await page.goBack()
    await expect.poll(() => headingOf(page)).toBe('Nodes')
    await page.keyboard.press('?')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(1)
    expect(await faultsOf(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    visitor.expectNoErrors()
  })

  it.each([
    ['gw-', 'gw-01', 'gw-01'],
    ['ZA-of-d3', 'd3', 'st-01'],
    ['documents', 'docs', 'docs'],
    ['bob', 'bob', 'bob'],
  ])('are found by the name of a record: %s', async (text, name, heading) => {
    const visitor = await lab.visit()
    const page = await loggedIn(visitor)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Go to' }).fill(text)
    await page.getByRole('option', { name }).first().click()
    await expect.poll(() => headingOf(page)).toBe(heading)
    visitor.expectNoErrors()
  })

  it('open no record of an earlier search, and do not say that there is none before the answer', async () => {
    const visitor = await lab.visit()
    const page = await loggedIn(visitor)
    const before = page.url()
    await page.keyboard.press('Control+k')
    const search = page.getByRole('combobox', { name: 'Go to' })
    await search.fill('gw-')
    await page.getByRole('option', { name: 'gw-01' }).waitFor()
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route(/\/trpc\/[^?]*search/, async (route) => {
      await released
      await route.continue()
    })
    await search.fill('bob')
    await page.keyboard.press('Enter')
    const palette = page.getByRole('dialog')
    await palette.getByText('Loading …').waitFor()
    expect(await page.getByRole('option').count()).toBe(0)
    await page.keyboard.press('Enter')
    expect(page.url()).toBe(before)
    release()
    await page.getByRole('option', { name: 'bob' }).first().waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => headingOf(page)).toBe('bob')
    visitor.expectNoErrors()
  })

  it('say why a search failed', async () => {
    const visitor = await lab.visit()
    const page = await loggedIn(visitor)
    await page.route(/\/trpc\/[^?]*search/, (route) => route.abort())
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Go to' }).fill('gw-')
    const palette = page.getByRole('dialog')
    await palette.getByText('The control plane does not answer.').waitFor()
    expect(await palette.getByText('Nothing has that name.').count()).toBe(0)
    visitor.expectNoErrors(/ERR_FAILED/)
  })

  it('are in the language of the browser', async () => {
    const visitor = await lab.visit({ language: 'de-DE' })
    const page = await visitor.open('/')
    await page.getByRole('button', { name: 'Anmelden' }).waitFor()
    expect(await page.evaluate<string>('document.documentElement.lang')).toBe('de')
    visitor.expectNoErrors()
  })
})

const headingOf = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()
