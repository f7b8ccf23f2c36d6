import { encodeMetricFrame } from '@roost/api-types/agent'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { addDevice, addNode, addPolicy } from '../support/agents/fleet-rows.js'
import { faultsOf } from '../support/console/browser.js'
import { hasBrowser, settled } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'
import type { TestApi } from '../support/http/api.js'

const tb = 1_000_000_000_000n
/** The node that reports its load. */
let first = 0

describe.skipIf(!hasBrowser)('the numbers of the console', () => {
  const lab = useConsole(addFleet)

  const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText()
  const parts = (page: Page) => page.getByRole('region', { name: 'Nodes and devices' })
  const cells = (page: Page) => parts(page).getByRole('row').allInnerTexts()
  const main = (page: Page) => page.getByRole('main')

  it('of the capacity link the devices that count, and those that do not with the reason', async () => {
    const { visitor, page } = await lab.enter('/capacity')
    await main(page).getByRole('link', { name: '11 TB', exact: true }).click()
    await expect.poll(() => heading(page)).toBe('gold')
    await main(page).getByText('Sum over the devices that are in exactly these policies').waitFor()
    await expect.poll(() => cells(page)).toHaveLength(3)
    expect((await cells(page)).slice(1).map((row) => row.split(/\s*\t\s*/).slice(0, 4))).toEqual([
      ['st-01', 'd1', '10 TB', '4 TB'],
      ['st-02', 'd2', '10 TB', '7 TB'],
    ])
    await settled(page)
    expect(await faultsOf(page)).toEqual([])

    await page.getByRole('button', { name: '1 left out' }).press('Enter')
    await expect.poll(() => cells(page)).toContainEqual(expect.stringMatching(/st-01.*d3.*not mounted/s))
    expect(new URL(page.url()).search).toContain('show=left_out')
    expect(await faultsOf(page)).toEqual([])
    await parts(page).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(() => heading(page)).toBe('st-01')
    await page.goBack()

    await page.getByRole('link', { name: 'Where the capacity comes from' }).click()
    await main(page).getByText('2 counted · 1 left out').waitFor()
    const without = page.getByRole('region', { name: 'Devices in no ring' })
    await without.getByText('0 counted · 1 left out').waitFor()
    await without.getByRole('link', { name: 'Show them' }).click()
    await page.getByRole('button', { name: '1 left out' }).click()
    await expect.poll(() => cells(page)).toContainEqual(expect.stringMatching(/st-02.*d4.*in no ring/s))
    visitor.expectNoErrors(/status of 401/)
  })

  it('of the overview do the same', async () => {
    const { visitor, page } = await lab.enter('/')
    await main(page).getByRole('link', { name: '11 TB of 20 TB' }).click()
    await expect.poll(() => heading(page)).toBe('Where the capacity comes from')
    await page.goBack()
    await main(page).getByRole('link', { name: 'No forecast yet' }).click()
    await main(page).getByText('fewer than 14 days are known').waitFor()
    await expect.poll(() => cells(page)).toHaveLength(3)
    expect(await faultsOf(page)).toEqual([])
    visitor.expectNoErrors(/status of 401/)
  })

  it('of the health and of metrics link their nodes', async () => {
    const { visitor, page } = await lab.enter('/swift')
    await main(page).getByRole('link', { name: 'device_unmounted' }).click()
    await main(page).getByText('The check device_unmounted of docs/checks.md').waitFor()
    await expect.poll(() => cells(page)).toContainEqual(expect.stringMatching(/st-01.*d3/s))
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Swift health' }).click()
    await main(page)
      .getByRole('link', { name: /^(healthy|needs attention|at risk)$/ })
      .click()
    await expect.poll(() => heading(page)).toBe('Verdict')
    await settled(page)
    expect(await faultsOf(page)).toEqual([])

    await page.goto('/explain/health?name=no_such_code')
    await main(page).getByText('There is no such number now').waitFor()
    await page.goto('/explain/nothing')
    await page.getByText('There is no such screen').waitFor()

    reportLoad()
    await page.goto('/explore?metrics=load.*')
    await main(page).getByRole('link', { name: '1 name matches' }).click()
    await main(page).getByText('Mean of the values of the nodes').waitFor()
    await main(page).getByRole('link', { name: 'Show them' }).click()
    await expect.poll(() => heading(page)).toBe('load.shortterm')
    await expect.poll(() => cells(page)).toContainEqual(expect.stringMatching(/st-01.*1\.5/s))
    await page.getByRole('button', { name: '1 left out' }).click()
    await expect.poll(() => cells(page)).toContainEqual(expect.stringMatching(/st-02.*its node is offline/s))
    expect(await faultsOf(page)).toEqual([])
    visitor.expectNoErrors(/status of 401/)
  })

  /** Has the first node report its load each second, so that it is never too old. */
  function reportLoad(): void {
    const values = Float64Array.from([1.5])
    let sequence = 0n
    const report = () => {
      sequence += 1n
      const frame = encodeMetricFrame({ catalogue: 1, sequence, time: Date.now() / 1000, values })
      lab.api.context.metrics.intake.frame(first, frame)
    }
    report()
    const timer = setInterval(report, 1_000)
    onTestFinished(() => clearInterval(timer))
  }
})

/** Two nodes: of their devices two count, one is not mounted, and one is in no ring. */
async function addFleet(api: TestApi): Promise<void> {
  const { database, context } = api
  const { id: cluster } = await database.prisma.cluster.findFirstOrThrow()
  const policy = await addPolicy(database, cluster, 0, 'gold')
  const nodes = await Promise.all(
    ['st-01', 'st-02'].map((hostname) =>
      addNode(database, cluster, { hostname, state: 'online', lastSeen: new Date() }),
    ),
  )
  const [one = 0, two = 0] = nodes
  first = one
  const add = async (node: number, name: string, used: bigint, { status = 'ok', isInRing = true } = {}) => {
    const usage = { totalBytes: 10n * tb, freeBytes: (10n - used) * tb, availableBytes: (10n - used) * tb }
    const id = await addDevice(database, cluster, node, { name, status, lastSeen: new Date(), ...usage })
    if (isInRing) await database.prisma.devicePolicy.create({ data: { deviceId: id, policyId: policy } })
  }
  await add(one, 'd1', 4n)
  await add(two, 'd2', 7n)
  await add(one, 'd3', 1n, { status: 'unmounted' })
  await add(two, 'd4', 1n, { isInRing: false })
  for (const node of nodes) await context.capacity.intake.devicesChanged(node)
  const { intake } = context.metrics
  for (const node of nodes) {
    intake.connected(node)
    await intake.catalogue(node, { id: 1, metrics: [{ name: 'load.shortterm', unit: '', aggregation: 'mean' }] })
  }
  intake.disconnected(two)
}
