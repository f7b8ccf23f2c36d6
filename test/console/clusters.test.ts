import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { addNode } from '../support/agents/fleet-rows.js'
import { faultsOf } from '../support/console/browser.js'
import { hasBrowser, settled } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'

describe.skipIf(!hasBrowser)('clusters in the console', () => {
  const lab = useConsole()

  const dialogOf = (page: Page) => page.getByRole('dialog')
  const press = (page: Page, name: string) => dialogOf(page).getByRole('button', { name, exact: true }).click()
  const row = (page: Page, name: string) => page.getByRole('region', { name: 'Clusters' }).getByRole('row', { name })
  const names = async () =>
    ((await lab.api.get('/api/v1/clusters/?order_by=name')).body.objects as readonly { readonly name: string }[]).map(
      ({ name }) => name,
    )

  it('are created and renamed, under a name that no other has', async () => {
    const { visitor, page } = await lab.enter('/system')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Go to' }).waitFor()
    await page.keyboard.type('rename cluster')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('Clusters')
    await row(page, 'default').waitFor()
    await page.getByRole('button', { name: 'New cluster' }).click()
    await dialogOf(page).getByLabel('Name of the cluster').fill('-x')
    await press(page, 'Add cluster')
    await dialogOf(page).getByText('Use 1 to 64 letters').waitFor()
    await dialogOf(page).getByLabel('Name of the cluster').fill('default')
    await page.keyboard.press('Enter')
    await dialogOf(page).getByText("A cluster 'default' already exists.").waitFor()
    expect(await faultsOf(page)).toEqual([])
    expect(await names()).toEqual(['default'])
    await dialogOf(page).getByLabel('Name of the cluster').fill('lab')
    await page.keyboard.press('Enter')
    await row(page, 'lab').waitFor()
    await row(page, 'lab').getByRole('button', { name: 'Rename …' }).click()
    await dialogOf(page).getByLabel('Name of the cluster').fill('north')
    await press(page, 'Rename')
    await row(page, 'north').waitFor()
    expect(await names()).toEqual(['default', 'north'])
    await page.getByLabel('Cluster', { exact: true }).selectOption('north')
    await settled(page)
    expect(await faultsOf(page)).toEqual([])
    visitor.expectNoErrors(/status of 401/)
  })

  it('are removed by their name, once nothing is in the way', async () => {
    const { id } = await lab.api.database.prisma.cluster.create({ data: { name: 'south' } })
    const node = await addNode(lab.api.database, id, { hostname: 'st-south', state: 'offline' })
    const body = { cluster: `/api/v1/clusters/${id}/`, user: 'amy', password: 'correct-horse-battery-staple' }
    const user = (await lab.api.call('/api/v1/users/', { method: 'POST', body })).body.resource_uri
    const { visitor, page } = await lab.enter('/system/clusters')
    await row(page, 'south').getByRole('button', { name: 'Remove …' }).click()
    await dialogOf(page).getByText('Remove these first:').waitFor()
    await dialogOf(page).getByRole('link', { name: '1 user' }).waitFor()
    expect(await dialogOf(page).getByRole('button', { name: 'Remove the cluster' }).count()).toBe(0)
    expect(await faultsOf(page)).toEqual([])
    await dialogOf(page).getByRole('link', { name: '1 node' }).click()
    await page.getByRole('link', { name: 'st-south' }).waitFor()
    await page.goBack()

    await lab.api.database.prisma.node.delete({ where: { id: node } })
    expect((await lab.api.call(user, { method: 'DELETE' })).status).toBe(204)
    await row(page, 'south').getByRole('button', { name: 'Remove …' }).click()
    await dialogOf(page).getByText('Data in Swift is not changed.').waitFor()
    const remove = dialogOf(page).getByRole('button', { name: 'Remove the cluster' })
    expect(await remove.isDisabled()).toBe(true)
    await dialogOf(page).getByRole('textbox').fill('south')
    expect(await faultsOf(page)).toEqual([])

    // A node enrolls while the operator types.
    const late = await addNode(lab.api.database, id, { hostname: 'st-late', state: 'offline' })
    await dialogOf(page).getByRole('link', { name: '1 node' }).waitFor()
    expect(await remove.count()).toBe(0)
    await lab.api.database.prisma.node.delete({ where: { id: late } })
    await dialogOf(page).getByRole('textbox').fill('south')
    await remove.click()
    await expect.poll(names).not.toContain('south')
    await expect.poll(() => dialogOf(page).count()).toBe(0)
    await expect.poll(() => row(page, 'south').count()).toBe(0)
    visitor.expectNoErrors(/status of 401/)
  })

  it('cannot be changed by who may only read', async () => {
    const { visitor, page } = await lab.enter('/system/clusters', await lab.api.addOperator({ role: 'read_only' }))
    const button = row(page, 'default').getByRole('button', { name: 'Remove …' })
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    await button.click({ force: true })
    expect(await dialogOf(page).count()).toBe(0)
    visitor.expectNoErrors(/status of 401/)
  })
})
