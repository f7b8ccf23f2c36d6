import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { faultsOf } from '../support/console/browser.js'
import { enterConsole, hasBrowser, settled } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'
import { addLabNode, waitForJob } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { currentFiles } from '../support/gateway/folder-applier.js'

describe.skipIf(!hasBrowser)('deployments in the console', () => {
  const lab = useConsole()

  /** On a wide screen, and on a telephone. */
  async function expectAccessible(page: Page): Promise<void> {
    for (const width of [400, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      await settled(page)
      expect([width, await faultsOf(page)]).toEqual([width, []])
    }
  }

  async function addGateway(): Promise<LabNode> {
    const { controlPlane, database } = lab.api
    const node = await addLabNode(controlPlane, database, lab.cluster, { runsGateway: true, runsProxy: true })
    onTestFinished(async () => {
      await node.remove()
      await database.prisma.gatewayShare.deleteMany({ where: { nodeId: node.id } })
      await database.prisma.node.delete({ where: { id: node.id } })
    })
    await node.start()
    return node
  }

  const addShare = async (node: LabNode, name: string) =>
    (
      await lab.api.call('/api/v1/gateway_shares/', {
        method: 'POST',
        body: { name, node: node.uri, objectstore_container: name, enabled: true },
      })
    ).body.resource_uri as string
  const change = (uri: string, body: object) => lab.api.call(uri, { method: 'PATCH', body })
  const deploy = async (node: LabNode) => {
    const body = { node: node.uri }
    const job = await lab.api.call('/api/v1/gateway_deployments/', { method: 'POST', body })
    return waitForJob((path) => lab.api.get(path), job.body)
  }

  it('show the generations of a node, what differs between two, and return to one by a plan', async () => {
    const node = await addGateway()
    const share = await addShare(node, 'docs')
    await deploy(node)
    await change(share, { access_mode: 'ro' })
    await addShare(node, 'video')
    await deploy(node)
    const { visitor, page } = await lab.enter(`/nodes/${node.id}/generations`)
    const rows = page.getByRole('group', { name: 'Generations', exact: true }).getByRole('row')
    await expect.poll(() => rows.allInnerTexts()).toHaveLength(3)
    const tabs = page.getByRole('navigation', { name: 'Parts of the node' })
    expect(await tabs.locator('[aria-current="page"]').allInnerTexts()).toEqual(['Generations'])
    const [, second, first] = await rows.allInnerTexts()
    expect(second).toMatch(/^2\s+in force\s+.*admin\s+Deployment \d+\s+2\s/s)
    expect(first).toMatch(/^1\s+.*admin\s+Deployment \d+\s+1\s/s)
    const differences = page.getByRole('group', { name: 'Differences between two generations' }).getByRole('row')
    await expect
      .poll(() => differences.allInnerTexts())
      .toEqual([
        expect.stringContaining('Before'),
        expect.stringMatching(/Share docs\s+changed\s+access_mode\s+rw\s+ro/),
        expect.stringMatching(/Share video\s+added/),
      ])
    await expectAccessible(page)
    await page.getByLabel('From generation').selectOption('2')
    await page.getByText('These generations have the same content.').waitFor()
    expect(page.url()).toContain('a=2&b=2')

    await page.getByRole('button', { name: 'Return to generation 1 …' }).click()
    await page.getByRole('button', { name: 'Deploy to 1 node' }).click()
    await expect.poll(async () => [...(await currentFiles(node.dir)).values()]).toEqual(['docs\nrw\n'])
    await page.goto(`/nodes/${node.id}/generations`)
    await expect.poll(() => rows.nth(1).innerText()).toMatch(/^3\s+in force\s+.*returned to 1\s+1\s/s)

    await page.getByRole('button', { name: 'Users', exact: true }).click()
    await page.getByText('Nothing has been deployed yet').waitFor()
    expect(page.url()).toContain('kind=users')
    visitor.expectNoErrors(/status of 401/)
  })

  it('say what is not deployed yet, as long as it is not, and open its plan', async () => {
    const node = await addGateway()
    const { visitor, page } = await lab.enter('/deployments')
    const notice = page.getByRole('region', { name: 'Changes that are not deployed' })
    await page.getByRole('link', { name: 'New deployment' }).waitFor()
    await page
      .getByRole('status')
      .filter({ hasText: /deployment/ })
      .waitFor()
    const share = await addShare(node, 'papers')
    await notice.getByText('1 change is not deployed').waitFor()
    await deploy(node)
    await expect.poll(() => notice.count()).toBe(0)
    await change(share, { access_mode: 'ro' })
    await addShare(node, 'music')
    await notice.getByText('2 changes are not deployed').waitFor()
    await notice.getByText('Show what changed').click()
    const rows = notice.getByRole('row')
    await expect
      .poll(() => rows.allInnerTexts())
      .toEqual([
        expect.stringContaining('Nodes'),
        expect.stringMatching(/Share papers\s+changed\s+access_mode\s+rw\s+ro/),
        expect.stringMatching(/Share music\s+added/),
      ])
    await expectAccessible(page)
    await notice.getByRole('button', { name: 'Review and deploy' }).click()
    await page.getByRole('button', { name: /^Deploy to \d nodes?$/ }).waitFor()
    visitor.expectNoErrors(/status of 401/)
  })

  it('name a proxy on Keystone that is left out, on the plan and on the deployment', async () => {
    const [first, second] = [await addGateway(), await addGateway()]
    first.setProxy('keystone')
    await expect.poll(async () => (await lab.api.get(first.uri)).body.proxy_authentication).toBe('keystone')
    const { visitor, page } = await lab.enter(`/nodes/${first.id}`)
    await page.getByText('Proxy authenticates with').waitFor()
    await page.getByText('Keystone', { exact: true }).waitFor()
    await page.goto('/deployments/new?kind=users')
    await page.getByRole('button', { name: 'Plan' }).click()
    await page.getByText(/^Left out: .* authenticates with Keystone\.$/).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Deploy to 1 node' }).click()
    await page.getByText(/^Left out: .* authenticates with Keystone\.$/).waitFor()
    await expect.poll(async () => (await lab.api.get(second.uri)).body.config_state).toBe('synced')
    await expectAccessible(page)
    visitor.expectNoErrors(/status of 401/)
  })

  it('do not say that all is deployed where that could not be read', async () => {
    const calls = /\/trpc\/[^?]*gatewayShares\.pending/
    const visitor = await lab.visit()
    await visitor.context.route(calls, (route) => route.abort())
    const page = await visitor.open('/deployments')
    await enterConsole(page, lab.api.key)
    const notice = page.getByRole('region', { name: 'Changes that are not deployed' })
    await notice.getByText('This could not be read.').waitFor()
    await expectAccessible(page)
    await visitor.context.unroute(calls)
    await notice.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => notice.count()).toBe(0)
    visitor.expectNoErrors(/status of 401|ERR_FAILED/)
  })

  it('show the clients of a share as soon as its gateway has it', async () => {
    const node = await addGateway()
    const share = await addShare(node, 'maps')
    const { visitor, page } = await lab.enter(share.replace('/api/v1/gateway_shares/', '/shares/').replace(/\/$/, ''))
    const card = page.getByRole('region', { name: 'Clients now' })
    await card.getByText('The gateway does not have this share yet.').waitFor()
    await deploy(node)
    await page.keyboard.press('r')
    await card.getByText('No client has it mounted.').waitFor()
    node.behavior.sessionsLost = [
      { share: 'maps', client: '10.0.0.7', user: null },
      { share: 'other', client: '10.0.0.8', user: null },
    ]
    await page.keyboard.press('r')
    await card.getByText('1 session').waitFor()
    expect(await card.getByRole('row').allInnerTexts()).toEqual([
      expect.stringContaining('Client'),
      expect.stringMatching(/^10\.0\.0\.7\s+–$/),
    ])
    await expectAccessible(page)

    await node.stop()
    await page.keyboard.press('r')
    const since = card.getByRole('status').filter({ hasText: 'The list was read on' })
    await since.waitFor()
    expect(await card.getByText('1 session').count()).toBe(0)
    expect(await card.getByRole('row').allInnerTexts()).toHaveLength(2)
    await expectAccessible(page)
    await node.start()
    await page.keyboard.press('r')
    await card.getByText('1 session').waitFor()
    expect(await since.count()).toBe(0)
    visitor.expectNoErrors(/status of (401|503)/)
  })
})
