import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { addNode } from '../support/agents/fleet-rows.js'
import { faultsOf } from '../support/console/browser.js'
import { hasBrowser, settled } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'

describe.skipIf(!hasBrowser)('the logins of a cluster in the console', () => {
  const lab = useConsole()

  const dialogOf = (page: Page) => page.getByRole('dialog')
  const card = (page: Page, name: string) => page.getByRole('region', { name })
  const press = (page: Page, name: string) => dialogOf(page).getByRole('button', { name, exact: true }).click()
  const label = (page: Page, name: string) => dialogOf(page).getByLabel(name, { exact: true })
  const labels = (page: Page) => dialogOf(page).locator('label').allInnerTexts()
  const storage = async () => (await lab.api.get(`/api/v1/clusters/${lab.cluster}/storage/`)).body

  it('to its storage are set with the fields of their URL, replaced, and removed once no share needs them', async () => {
    const { visitor, page } = await lab.enter('/system/clusters')
    await page.getByRole('link', { name: 'Logins …' }).click()
    const login = card(page, 'Storage login of the gateways')
    await login.getByText('No storage login').waitFor()
    await login.getByRole('button', { name: 'Set …' }).click()
    await label(page, 'URL').fill('https://user:pw@swift.example/auth/v1.0')
    await label(page, 'User').focus()
    await dialogOf(page).getByText('Leave out user, password, query and fragment.').waitFor()
    await label(page, 'URL').fill('https://swift.example:8080/auth/v1.0')
    expect(await labels(page)).toEqual(['URL', 'User', 'Key', 'Certificate authorities'])
    await label(page, 'User').fill('shares:gateway')
    await press(page, 'Save the storage login')
    await dialogOf(page).locator('[aria-invalid="true"]').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await label(page, 'Key').fill('key-of-the-gateways')
    await press(page, 'Save the storage login')
    await login.getByText('shares:gateway').waitFor()
    expect(await storage()).toMatchObject({ auth_version: 1, user: 'shares:gateway' })

    await login.getByRole('button', { name: 'Replace …' }).click()
    expect(await label(page, 'User').inputValue()).toBe('shares:gateway')
    expect(await label(page, 'Key').inputValue()).toBe('')
    await label(page, 'URL').fill('https://keystone.example:5000/v3')
    await dialogOf(page).getByLabel('an application credential').check()
    expect(await label(page, 'User').count()).toBe(0)
    await press(page, 'Save the storage login')
    await dialogOf(page).getByText('Give the application credential.').waitFor()
    await label(page, 'Id of the application credential').fill('6f556708d04b')
    await label(page, 'Region').fill('RegionOne')
    await label(page, 'Key').fill('secret-of-the-credential')
    await press(page, 'Save the storage login')
    await login.getByText('6f556708d04b').waitFor()
    expect(await storage()).toMatchObject({
      auth_version: 3,
      user: null,
      application_credential_id: '6f556708d04b',
      region: 'RegionOne',
      interface: 'public',
    })
    await login.getByRole('button', { name: 'Replace …' }).click()
    await label(page, 'Id of the application credential').fill('')
    await label(page, 'Name of the application credential').fill('gateways')
    await label(page, 'User').fill('shares')
    await label(page, 'Domain of the user').fill('Default')
    await label(page, 'Key').fill('secret-of-the-credential')
    await press(page, 'Save the storage login')
    await login.getByText('gateways', { exact: true }).waitFor()
    const named = { application_credential_id: null, application_credential_name: 'gateways', user: 'shares' }
    expect(await storage()).toMatchObject(named)
    await login.getByRole('button', { name: 'Replace …' }).click()
    await label(page, 'Region').fill('RegionTwo')
    await label(page, 'Key').fill('secret-of-the-credential')
    await press(page, 'Save the storage login')
    await login.getByText('RegionTwo').waitFor()
    expect(await storage()).toMatchObject({ ...named, user_domain: 'Default' })
    await settled(page)
    expect(await faultsOf(page)).toEqual([])
    expect(await page.content()).not.toMatch(/key-of-the-gateways|secret-of-the-credential/)

    const node = await addNode(lab.api.database, lab.cluster, { role: { create: { runsGateway: true } } })
    const body = { name: 'docs', node: `/api/v1/nodes/${node}/`, objectstore_container: 'docs' }
    const share = (await lab.api.call('/api/v1/gateway_shares/', { method: 'POST', body })).body
    const remove = async () => {
      await login.getByRole('button', { name: 'Remove' }).click()
      await press(page, 'Remove the storage login')
    }
    await lab.api.patch(share.resource_uri, { enabled: true })
    await remove()
    await page.getByText('1 enabled share is mounted with this login.').waitFor()
    await lab.api.patch(share.resource_uri, { enabled: false })
    await page.reload()
    await remove()
    await login.getByText('No storage login').waitFor()
    visitor.expectNoErrors(/status of (400|401|409)/)
  })

  it('to an identity service are tried before they are stored, and say what is wrong', async () => {
    const { visitor, page } = await lab.enter(`/system/clusters/${lab.cluster}`)
    const service = card(page, 'Identity service of the users')
    await service.getByRole('button', { name: 'Set …' }).click()
    await label(page, 'URL').fill('https://127.0.0.1:1/')
    await label(page, 'User').fill('roost')
    await label(page, 'Key').fill('a-password')
    await press(page, 'Save the identity service')
    await dialogOf(page).getByText("Use the URL of Keystone's API version 3").waitFor()
    await label(page, 'URL').fill('https://127.0.0.1:1/v3')
    await press(page, 'Save the identity service')
    await dialogOf(page)
      .getByText(/127\.0\.0\.1:1.*(ECONNREFUSED|does not answer|cannot be reached)/i)
      .first()
      .waitFor()
    expect(await faultsOf(page)).toEqual([])
    expect((await lab.api.get(`/api/v1/clusters/${lab.cluster}/identity/`)).status).toBe(404)
    visitor.expectNoErrors(/status of (400|401)/)
  })

  it('stay in view where the file of their form cannot be loaded, and the next attempt loads it', async () => {
    const { visitor, page } = await lab.enter(`/system/clusters/${lab.cluster}`)
    await page.route(/identity-form/, (route) => route.abort())
    const service = card(page, 'Identity service of the users')
    await service.getByRole('button', { name: 'Set …' }).click()
    await dialogOf(page).getByText('load the page again').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.keyboard.press('Escape')
    await service.getByText('No identity service').waitFor()
    await service.getByRole('button', { name: 'Set …' }).click()
    await page.unroute(/identity-form/)
    await press(page, 'Try again')
    await label(page, 'Domain of Roost').waitFor()
    visitor.expectNoErrors(/status of 401|ERR_FAILED/)
  })

  it('cannot be replaced by an operator who can only read', async () => {
    const reader = await lab.api.addOperator({ role: 'read_only' })
    const { visitor, page } = await lab.enter(`/system/clusters/${lab.cluster}`, reader)
    const set = card(page, 'Storage login of the gateways').getByRole('button', { name: 'Set …' })
    expect(await set.getAttribute('aria-disabled')).toBe('true')
    visitor.expectNoErrors(/status of 401/)
  })
})
