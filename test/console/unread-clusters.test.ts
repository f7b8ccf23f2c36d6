import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { faultsOf } from '../support/console/browser.js'
import { hasBrowser, settled } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'
import { refuseCalls } from '../support/console/refused.js'
import { addScreenRecords, screenPaths } from '../support/console/screens.js'

type Path = (typeof screenPaths)[number] | '/alerts/silences?add=yes'

/** What shows a cluster, and what it shows of the one of `addScreenRecords`. */
const ofCluster: Partial<Record<Path, string>> = {
  '/': 'Nodes by state',
  '/nodes': 'st-01',
  '/devices': 'd3',
  '/devices?view=map': 'No device yet',
  '/capacity': 'No device is in a ring yet',
  '/explain/capacity': 'Where the capacity comes from',
  '/explain/health?name=verdict': 'Verdict',
  '/explore': 'Choose metrics',
  '/swift': 'Replication and queues',
  '/utilization': 'No usage in this period',
  '/utilization?show=transfer&account=AUTH_bob': 'No usage in this period',
  '/shares': 'docs',
  '/shares/new': 'gw-01',
  '/users': 'bob',
  '/users/new': 'A user of default',
  '/deployments': 'Nothing has been deployed yet',
  '/deployments/new': 'gw-01',
  '/drift': 'No node differs from what was deployed',
  '/alerts': 'It is not mounted.',
  '/alerts?alert=1': 'It is not mounted.',
  '/alerts/silences?add=yes': 'Only in the cluster default',
  '/system': 'Upgrade agents …',
  '/system/clusters': 'default',
}

/** One of each way in which a screen has the problem: as its page, below its tabs, as one of its parts. */
const framed: ReadonlySet<Path> = new Set(['/nodes', '/alerts', '/system'])

describe.skipIf(!hasBrowser)('clusters that cannot be read', () => {
  const lab = useConsole(addScreenRecords)

  /** What the server answers to `refuseCalls`. */
  const reason = 'Enter an object.'
  const failure = (page: Page) => page.getByRole('main').getByRole('alert').filter({ hasText: reason })
  const text = async (page: Page) => (await page.locator('body').textContent()) ?? ''

  it('are not taken for missing by any screen, and are read again', async () => {
    const { visitor, page } = await lab.enter('/audit')
    for (const path of [...screenPaths, '/alerts/silences?add=yes'] as const) {
      const answerAgain = await refuseCalls(visitor.context, 'clusters.list')
      await page.goto(path)
      await settled(page)
      const shown = ofCluster[path]
      expect([path, await failure(page).count()]).toEqual([path, shown === undefined ? 0 : 1])
      expect(await text(page)).not.toMatch(/No cluster yet|Add your first cluster/)
      await answerAgain()
      if (shown === undefined) continue
      const faults = framed.has(path) ? await faultsOf(page) : []
      expect([path, faults]).toEqual([path, []])
      await failure(page).getByRole('button', { name: 'Try again' }).click()
      await expect.poll(() => text(page), { message: path }).toContain(shown)
      await expect.poll(() => failure(page).count()).toBe(0)
    }
    visitor.expectNoErrors(/status of 401/)
  })

  it('leave the parts of alerts within reach, and a form says why it offers none', async () => {
    const { visitor, page } = await lab.enter('/audit')
    const answerAgain = await refuseCalls(visitor.context, 'clusters.list')
    await page.goto('/alerts')
    await failure(page).waitFor()
    await page.getByRole('link', { name: 'Receivers' }).click()
    await page.getByRole('button', { name: 'New receiver' }).click()
    const dialog = page.getByRole('dialog')
    await expect.poll(() => dialog.innerText()).toContain(reason)
    await answerAgain()
    visitor.expectNoErrors(/status of 401/)
  })

  it('do not matter to the page of a share, which shows the gateways of its own cluster', async () => {
    const { database } = lab.api
    const other = await addCluster(database)
    const node = await addNode(database, other, { hostname: 'gw-02', role: { create: { runsGateway: true } } })
    const body = { name: 'far', node: `/api/v1/nodes/${node}/`, objectstore_container: 'far' }
    const { id } = (await lab.api.call('/api/v1/gateway_shares/', { method: 'POST', body })).body
    const { visitor, page } = await lab.enter('/audit')
    await page.goto(`/shares/${id}`)
    await page.getByText('gw-02:/far').waitFor()
    expect(await page.getByLabel('Gateway').getByRole('option').allInnerTexts()).toEqual([
      'Choose …',
      expect.stringMatching(/^gw-02/),
    ])
    visitor.expectNoErrors(/status of 401/)
  })
})
