import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { faultsOf } from '../support/console/browser.js'
import { hasBrowser } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'
import { addLabNode } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { startListedStorage, storageKey } from '../support/gateway/listed-storage.js'
import type { ListedStorage } from '../support/gateway/listed-storage.js'

const patience = { timeout: waitTimeoutMs }

describe.skipIf(!hasBrowser)('the form of a share', () => {
  const lab = useConsole()
  let storage: ListedStorage
  beforeAll(async () => {
    storage = await startListedStorage(['archive', 'documents'])
  })
  afterAll(() => storage.stop())

  /** A gateway of a cluster of its own. */
  async function addGateway(name: string): Promise<LabNode & { readonly cluster: number }> {
    const { controlPlane, database } = lab.api
    const cluster = await addCluster(database, name)
    const node = await addLabNode(controlPlane, database, cluster)
    onTestFinished(() => node.remove())
    await node.start({ hostname: `gw-of-${name}` })
    return { ...node, cluster }
  }

  it('shows what the gateway will have, as one types, and stores nothing for it', async () => {
    const node = await addGateway('prod')
    await lab.api.call('/api/v1/gateway_shares/', {
      method: 'POST',
      body: { name: 'docs', node: node.uri, objectstore_container: 'docs', enabled: true },
    })
    const { visitor, page } = await lab.enter(`/shares/new?cluster=${node.cluster}`)
    const preview = page.getByRole('region', { name: 'What gw-of-prod will have' })
    await preview.getByText('Shown once the fields have what a share needs.').waitFor(patience)
    await page.getByLabel('Name', { exact: true }).fill('papers')
    await page.getByLabel('Container', { exact: true }).fill('papers')
    await preview.getByText('papers').first().waitFor(patience)
    await preview.getByText('folder: reload').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.getByLabel('read only').check()
    await expect.poll(() => preview.innerText(), patience).toContain('+ro')
    await page.getByLabel('Name', { exact: true }).fill('docs')
    await preview.getByText('already has a share', { exact: false }).waitFor(patience)
    const stored = (await lab.api.get(`/api/v1/gateway_shares/?node=${node.id}`)).body.objects
    expect(stored).toMatchObject([{ name: 'docs' }])
    await node.stop()
    await preview.getByText('The gateway is not online', { exact: false }).waitFor(patience)
    visitor.expectNoErrors(/status of 401/)
  })

  it('shows the same for a change, once there is one', async () => {
    const node = await addGateway('lab')
    const { body } = await lab.api.call('/api/v1/gateway_shares/', {
      method: 'POST',
      body: { name: 'docs', node: node.uri, objectstore_container: 'docs', enabled: true },
    })
    const { visitor, page } = await lab.enter(`/shares/${body.id}`)
    const preview = page.getByRole('region', { name: 'What gw-of-lab will have' })
    await page.getByLabel('read only').waitFor(patience)
    expect(await preview.count()).toBe(0)
    await page.getByLabel('read only').check()
    await expect.poll(() => preview.innerText(), patience).toContain('+ro')
    expect(await faultsOf(page)).toEqual([])
    visitor.expectNoErrors(/status of 401/)
  })

  it('completes the names of containers, and says which one is new', async () => {
    const node = await addGateway('files')
    const login = { auth_url: `${storage.origin}/auth/v1.0`, user: 'shares:gateway', key: storageKey }
    await lab.api.call(`/api/v1/clusters/${node.cluster}/storage/`, { method: 'POST', body: login })
    const { visitor, page } = await lab.enter(`/shares/new?cluster=${node.cluster}`)
    const field = page.getByLabel('Container', { exact: true })
    const names = () =>
      page.locator('datalist option').evaluateAll((options) => options.map((option) => option.getAttribute('value')))
    await expect.poll(names, patience).toEqual(['archive', 'documents'])
    await field.fill('docu')
    await expect.poll(names, patience).toEqual(['documents'])
    await page.getByText('A new container', { exact: false }).waitFor(patience)
    await field.fill('documents')
    await page.getByText('A new container', { exact: false }).waitFor({ ...patience, state: 'detached' })
    expect(await faultsOf(page)).toEqual([])
    storage.status = 500
    await field.fill('x')
    await page.getByText('answered 500', { exact: false }).waitFor(patience)
    expect(await page.content()).not.toContain(storageKey)
    visitor.expectNoErrors(/status of 401/)
  })
})
