import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { addNode } from '../support/agents/fleet-rows.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { faultsOf } from '../support/console/browser.js'
import { hasBrowser, logIn, settled } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'

const patience = { timeout: waitTimeoutMs }

describe.skipIf(!hasBrowser)('several rows of the console', () => {
  const lab = useConsole()

  const dialogOf = (page: Page) => page.getByRole('dialog')
  const press = (page: Page, name: string) => dialogOf(page).getByRole('button', { name, exact: true }).click()
  const bar = (page: Page) => page.getByRole('group', { name: 'Selected rows' })
  const says = (page: Page, text: string) => dialogOf(page).getByText(text, { exact: true }).waitFor(patience)
  const box = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true })
  const table = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

  /** A gateway with shares of these names. */
  async function addGateway(hostname: string, shares: readonly string[]): Promise<number> {
    const node = await addNode(lab.api.database, lab.cluster, { hostname, role: { create: { runsGateway: true } } })
    for (const name of shares) {
      const body = { name, node: `/api/v1/nodes/${node}/`, objectstore_container: name, enabled: true }
      expect((await lab.api.call('/api/v1/gateway_shares/', { method: 'POST', body })).status).toBe(201)
    }
    return node
  }

  /** Returns a field of the shares of a gateway, by their names. */
  async function sharesOf(node: number, field: string): Promise<Readonly<Record<string, unknown>>> {
    const { objects } = (await lab.api.get(`/api/v1/gateway_shares/?node=${node}&limit=0`)).body
    return Object.fromEntries(
      (objects as readonly Record<string, unknown>[]).map((share) => [String(share['name']), share[field]]),
    )
  }

  /** Opens the list of the shares of a gateway. */
  async function enterShares(node: number) {
    const entered = await lab.enter(`/shares?node=${node}`)
    await settled(entered.page)
    return entered
  }

  const names = (count: number) => Array.from({ length: count }, (_, i) => `s${String(i + 1).padStart(3, '0')}`)

  it('are selected by the keyboard alone and get a setting, whose rule is said while one types', async () => {
    const node = await addGateway('gw-keys', names(4))
    const { visitor, page } = await enterShares(node)
    await table(page, 'Shares').focus()
    for (const key of ['ArrowDown', 'ArrowDown', 'Space', 'Shift+ArrowDown', 'Shift+ArrowDown', 'ArrowUp', 'Space'])
      await page.keyboard.press(key)
    await expect.poll(() => bar(page).innerText()).toContain('2 of 4 selected')
    expect(await box(page, 'Select s002').isChecked()).toBe(true)
    expect(await faultsOf(page)).toEqual([])
    await bar(page).getByRole('button', { name: 'Change …' }).focus()
    await page.keyboard.press('Enter')
    await dialogOf(page).getByLabel('Setting', { exact: true }).selectOption({ label: 'Clients' })
    const clients = dialogOf(page).getByRole('textbox', { name: 'Clients' })
    await clients.fill('10.20.0.0/99')
    await clients.blur()
    await expect.poll(() => clients.getAttribute('aria-invalid')).toBe('true')
    await clients.fill('10.20.0.0/16')
    expect(await dialogOf(page).innerText()).toContain('65,536 addresses')
    expect(await faultsOf(page)).toEqual([])
    await page.keyboard.press('Enter')
    await says(page, '2 of 2 done.')
    expect(await faultsOf(page)).toEqual([])
    expect(await sharesOf(node, 'clients_allowed_list')).toEqual({
      s001: '',
      s002: '10.20.0.0/16',
      s003: '',
      s004: '10.20.0.0/16',
    })
    await press(page, 'Done')
    expect(await bar(page).count()).toBe(0)
    visitor.expectNoErrors(/status of 401/)
  })

  it('are all that match, also those that were not read, and lead to one deployment', async () => {
    const node = await addGateway('gw-many', names(120))
    const other = await addGateway('gw-other', names(2))
    const { visitor, page } = await enterShares(node)
    await box(page, 'Select all 120 that match').click()
    await expect.poll(() => bar(page).innerText()).toContain('120 of 120 selected')
    await bar(page).getByRole('button', { name: 'Disable' }).click()
    await expect.poll(() => dialogOf(page).innerText()).toContain('s020 and 100 more')
    await press(page, 'Disable')
    await says(page, '120 of 120 done.')
    expect(Object.values(await sharesOf(node, 'enabled')).filter(Boolean)).toEqual([])
    expect(Object.values(await sharesOf(other, 'enabled'))).toEqual([true, true])
    await dialogOf(page)
      .getByRole('button', { name: /^Review/ })
      .click()
    await expect.poll(() => new URL(page.url()).pathname, patience).toBe('/deployments/new')
    expect(new URL(page.url()).searchParams.get('plan')).not.toBeNull()
    visitor.expectNoErrors(/status of 401/)
  })

  it('that the server refuses are listed with its sentence, stay selected, and can be tried again', async () => {
    const from = await addGateway('gw-from', ['music', 'papers', 'photos'])
    const to = await addGateway('gw-to', ['papers'])
    const { visitor, page } = await enterShares(from)
    for (const name of ['music', 'papers', 'photos']) await box(page, `Select ${name}`).click()
    await bar(page).getByRole('button', { name: 'Change …' }).click()
    await dialogOf(page).getByLabel('Setting', { exact: true }).selectOption({ label: 'Gateway' })
    await dialogOf(page).getByRole('combobox', { name: 'Gateway' }).selectOption(String(to))
    await press(page, 'Change 3 shares')
    await says(page, '2 of 3 done.')
    expect(await dialogOf(page).getByRole('term').allInnerTexts()).toEqual(['gw-from/papers'])
    const reason = dialogOf(page).getByRole('definition')
    expect(await reason.allInnerTexts()).toEqual([expect.stringMatching(/papers|name/)])
    expect(Object.keys(await sharesOf(from, 'name'))).toEqual(['papers'])
    expect(await faultsOf(page)).toEqual([])
    const [present] = (await lab.api.get(`/api/v1/gateway_shares/?node=${to}&name=papers`)).body.objects
    await lab.api.patch(present.resource_uri, { name: 'old' })
    await press(page, 'Try 1 again')
    await says(page, '3 of 3 done.')
    expect(Object.keys(await sharesOf(to, 'name')).toSorted()).toEqual(['music', 'old', 'papers', 'photos'])
    visitor.expectNoErrors(/status of (401|409|400)/)
  })

  it('are removed once their number was typed, and are shown as not begun where the answer is missing', async () => {
    const node = await addGateway('gw-lost', names(30))
    const { visitor, page } = await enterShares(node)
    await box(page, 'Select all 30 that match').click()
    await bar(page).getByRole('button', { name: 'Remove …' }).click()
    const action = dialogOf(page).getByRole('button', { name: 'Remove the shares' })
    await dialogOf(page).getByRole('textbox').fill('3 shares')
    expect(await action.isDisabled()).toBe(true)
    await dialogOf(page).getByRole('textbox').fill('30 shares')
    let calls = 0
    await visitor.context.route(/gatewayShares\.remove/, (route) => {
      calls += 1
      return calls === 2 ? route.abort() : route.continue()
    })
    await action.click()
    await dialogOf(page).getByText('were not begun', { exact: false }).waitFor(patience)
    await expect.poll(() => dialogOf(page).innerText()).toContain('The control plane did not answer: this may be done')
    const left = Object.keys(await sharesOf(node, 'name')).length
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThan(30)
    await says(page, `${30 - left} of 30 done.`)
    await press(page, 'Done')
    await expect.poll(() => bar(page).innerText()).toContain(`${left} of ${left} selected`)
    await bar(page).getByRole('button', { name: 'Remove …' }).click()
    await dialogOf(page).getByRole('textbox').fill(`${left} shares`)
    await action.click()
    await says(page, `${left} of ${left} done.`)
    expect(await sharesOf(node, 'name')).toEqual({})
    visitor.expectNoErrors(/status of 401|ERR_FAILED/)
  })

  it('are changed no further once it is stopped, and what was begun is said', async () => {
    const node = await addGateway('gw-stop', names(40))
    const { visitor, page } = await enterShares(node)
    await box(page, 'Select all 40 that match').click()
    await bar(page).getByRole('button', { name: 'Disable' }).click()
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    await visitor.context.route(/gatewayShares\.change/, async (route) => {
      await gate
      return route.continue()
    })
    await press(page, 'Disable')
    await dialogOf(page).getByRole('progressbar').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await press(page, 'Stop')
    release()
    await says(page, '4 of 40 done.')
    await says(page, '36 were not begun')
    expect(Object.values(await sharesOf(node, 'enabled')).filter((enabled) => enabled === false)).toHaveLength(4)
    await press(page, 'Try 36 again')
    await says(page, '40 of 40 done.')
    visitor.expectNoErrors(/status of 401/)
  })

  it('are no longer selected when the filter changes', async () => {
    const node = await addGateway('gw-filter', names(3))
    const { page } = await enterShares(node)
    await box(page, 'Select s001').click()
    await expect.poll(() => bar(page).innerText()).toContain('1 of 3 selected')
    await page.getByRole('button', { name: 'SMB', exact: true }).click()
    await expect.poll(() => bar(page).count()).toBe(0)
    await page.getByRole('button', { name: 'SMB', exact: true }).click()
    await expect.poll(() => box(page, 'Select s001').isChecked()).toBe(false)
  })

  it('of users get rights and lose their login in the same way', async () => {
    for (const user of ['amy', 'ben', 'cleo']) {
      const body = { user, cluster: `/api/v1/clusters/${lab.cluster}/`, password: 'correct-horse-battery' }
      expect((await lab.api.call('/api/v1/users/', { method: 'POST', body })).status).toBe(201)
    }
    const usersBy = async (field: string) => {
      const { objects } = (await lab.api.get('/api/v1/users/?order_by=user')).body
      return (objects as readonly Record<string, unknown>[]).map((user) => user[field])
    }
    const { visitor, page } = await lab.enter('/users')
    await settled(page)
    await box(page, 'Select amy').click()
    await box(page, 'Select cleo').click()
    await bar(page).getByRole('button', { name: 'Make superuser' }).click()
    await dialogOf(page).getByRole('textbox').fill('2 users')
    expect(await faultsOf(page)).toEqual([])
    await press(page, 'Make superuser')
    await says(page, '2 of 2 done.')
    expect(await usersBy('is_superuser')).toEqual([true, false, true])
    await press(page, 'Done')
    await table(page, 'Users').focus()
    await page.keyboard.press('Control+a')
    await expect.poll(() => bar(page).innerText()).toContain('3 of 3 selected')
    await bar(page).getByRole('button', { name: 'Disable' }).click()
    await press(page, 'Disable')
    await says(page, '3 of 3 done.')
    expect(await usersBy('enabled')).toEqual([false, false, false])
    visitor.expectNoErrors(/status of 401/)
  })

  it('are selected and changed on a phone in the dark theme, too', async () => {
    const node = await addGateway('gw-phone', names(25))
    const visitor = await lab.visit({ theme: 'dark', width: 400 })
    const page = await visitor.open(`/shares?node=${node}`)
    await logIn(page, lab.api.key)
    await box(page, 'Select all 25 that match').click()
    await expect.poll(() => bar(page).innerText()).toContain('25 of 25 selected')
    expect(await faultsOf(page)).toEqual([])
    await bar(page).getByRole('button', { name: 'Change …' }).click()
    await dialogOf(page).getByRole('radio', { name: 'read only' }).check()
    expect(await faultsOf(page)).toEqual([])
    await press(page, 'Change 25 shares')
    await says(page, '25 of 25 done.')
    expect(await faultsOf(page)).toEqual([])
    expect(new Set(Object.values(await sharesOf(node, 'access_mode')))).toEqual(new Set(['ro']))
    visitor.expectNoErrors(/status of 401/)
  })

  it('cannot be selected by an operator who can only read', async () => {
    const node = await addGateway('gw-read', names(2))
    const { page } = await lab.enter(`/shares?node=${node}`, await lab.api.addOperator({ role: 'read_only' }))
    await page.getByRole('link', { name: 's001' }).waitFor()
    expect(await page.getByRole('checkbox').count()).toBe(0)
    await table(page, 'Shares').focus()
    await page.keyboard.press('Control+a')
    expect(await bar(page).count()).toBe(0)
  })
})
