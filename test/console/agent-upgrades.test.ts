import type { AgentUpgradeProgress } from '@roost/api-types/agent'
import type { Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { faultsOf } from '../support/console/browser.js'
import { hasBrowser } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'
import { addLabNode } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { offerPackage, upgradesOf } from '../support/gateway/upgrade-lab.js'

const patience = { timeout: waitTimeoutMs }

describe.skipIf(!hasBrowser)('an upgrade of agents in the console', () => {
  const lab = useConsole((api) => offerPackage(api.controlPlane.dataDir, '9.0.0').then(() => undefined))
  const nodes: LabNode[] = []
  /** What each agent answers now. */
  const progress = new Map<string, AgentUpgradeProgress>()
  /** The agents that were asked to upgrade, in their order. */
  const asked: string[] = []

  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.remove()
    asked.splice(0)
  })

  /** A cluster of connected agents, none of which has anything to install. */
  async function addAgents(hostnames: readonly string[]): Promise<number> {
    const cluster = await addCluster(lab.api.database)
    for (const hostname of hostnames) {
      const node = await addLabNode(lab.api.controlPlane, lab.api.database, cluster)
      nodes.push(node)
      progress.set(hostname, { state: 'downloading', message: '40 %' })
      const answer = () => {
        if (!asked.includes(hostname)) asked.push(hostname)
        return progress.get(hostname) as AgentUpgradeProgress
      }
      await node.start({ hostname, upgrades: upgradesOf(answer) })
      await expect
        .poll(async () => (await lab.api.get(`/api/v1/nodes/${node.id}/`)).body.hostname, patience)
        .toBe(hostname)
    }
    return cluster
  }

  /** Plans an upgrade on the screen, and starts it. */
  async function startUpgrade(page: Page, cluster: number): Promise<void> {
    await page.goto(`/system?cluster=${cluster}`)
    await page.getByRole('button', { name: 'Upgrade agents …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Percent in each wave').fill('100')
    await dialog.getByRole('button', { name: 'Show the plan' }).click()
    await dialog.getByText('3 nodes get version 9.0.0.').waitFor()
    await dialog.getByText('Nodes by wave: 1 · 2.').waitFor()
    await dialog.getByRole('button', { name: 'Upgrade 3 nodes' }).click()
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('Upgrade of agents to 9.0.0')
  }

  const row = (page: Page, hostname: string) => page.getByRole('row').filter({ hasText: hostname })
  const hosts = (page: Page) => page.getByRole('table').getByRole('link').allInnerTexts()
  const cancel = (page: Page) => page.getByRole('button', { name: 'Cancel what has not begun' })

  it('is followed by node, wave after wave, to its end', async () => {
    const cluster = await addAgents(['st-1', 'st-2', 'st-3'])
    const { visitor, page } = await lab.enter('/')
    await startUpgrade(page, cluster)
    await row(page, 'st-1').getByText('downloading: 40 %').waitFor(patience)
    await row(page, 'st-1').getByText('is upgraded').waitFor()
    await page.getByRole('img', { name: '0 % done' }).waitFor()
    expect(await row(page, 'st-1').getByRole('cell').first().innerText()).toBe('first')
    expect(await row(page, 'st-2').getByText('waits').count()).toBe(1)
    expect(await row(page, 'st-3').getByText('waits').count()).toBe(1)
    expect(asked).toEqual(['st-1'])
    expect(await cancel(page).count()).toBe(1)
    expect(await faultsOf(page)).toEqual([])

    progress.set('st-1', { state: 'installing', message: '' })
    await row(page, 'st-1').getByText('installing').waitFor(patience)
    progress.set('st-1', { state: 'installed', message: '' })
    await row(page, 'st-1').getByText('installed', { exact: true }).waitFor(patience)
    await row(page, 'st-2').getByText('downloading: 40 %').waitFor(patience)
    await row(page, 'st-3').getByText('downloading: 40 %').waitFor(patience)
    await page.getByRole('img', { name: '33 % done' }).waitFor()
    // Nothing is left that has not begun.
    expect(await cancel(page).count()).toBe(0)

    progress.set('st-2', { state: 'installed', message: '' })
    progress.set('st-3', { state: 'installed', message: '' })
    await page.getByText('succeeded').waitFor(patience)
    expect(await page.getByText('installed', { exact: true }).count()).toBe(3)
    expect(await page.getByRole('img').count()).toBe(0)
    expect(await faultsOf(page)).toEqual([])
    visitor.expectNoErrors(/status of 401/)
  })

  it('ends at a canary that returned to its former version, with the reason, and leaves the others alone', async () => {
    const cluster = await addAgents(['gw-1', 'gw-2', 'gw-3'])
    const { visitor, page } = await lab.enter('/')
    await startUpgrade(page, cluster)
    await row(page, 'gw-1').getByText('downloading: 40 %').waitFor(patience)
    progress.set('gw-1', { state: 'returned', message: 'Version 9.0.0 did not report in 120 s.' })
    const main = page.getByRole('main')
    await main.getByText('gw-1: Version 9.0.0 did not report in 120 s. Not changed: 2 nodes.').waitFor(patience)
    await row(page, 'gw-1').getByText('returned to its former version').waitFor()
    for (const hostname of ['gw-2', 'gw-3']) {
      await row(page, hostname).getByText('left out').waitFor()
      await row(page, hostname).getByText('Not started, because the upgrade of gw-1 failed.').waitFor()
    }
    // What failed is first.
    expect(await hosts(page)).toEqual(['gw-1', 'gw-2', 'gw-3'])
    expect(asked).toEqual(['gw-1'])
    expect(await cancel(page).count()).toBe(0)
    expect(await faultsOf(page)).toEqual([])

    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'System' }).click()
    const upgrade = page.getByRole('region', { name: 'Upgrades' }).getByRole('row').filter({ hasText: '9.0.0' })
    await upgrade.getByText('failed', { exact: true }).waitFor()
    await upgrade.getByText('gw-1: Version 9.0.0 did not report in 120 s.').waitFor()
    visitor.expectNoErrors(/status of 401/)
  })
})
