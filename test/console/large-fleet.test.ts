import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { addLargeFleet, setStates } from '../support/agents/large-fleet.js'
import { hasBrowser, logIn } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'
import type { TestApi } from '../support/http/api.js'

/** Of a window of 900 pixels, with those above and below that are ready for scrolling. */
const mostRows = 60

describe.skipIf(!hasBrowser)('10,000 nodes and 40,000 devices in the console', () => {
  const lab = useConsole(addFleet)

  const rowAt = (page: Page, index: number) => page.locator(`tr[aria-rowindex="${index + 2}"]`)
  const rowCount = (page: Page) => page.getByRole('table').getAttribute('aria-rowcount')
  const heading = (page: Page, name: string) => page.getByRole('columnheader', { name }).getByRole('button')

  it('is a list of nodes to scroll, order and filter, one of which is opened by the keyboard', async () => {
    const visitor = await lab.visit()
    const page = await visitor.open('/nodes')
    await logIn(page, lab.api.key)
    await expect.poll(() => rowAt(page, 0).innerText()).toContain('node-00001')
    expect(await rowCount(page)).toBe('10001')
    const table = page.getByRole('region', { name: 'Nodes' })
    await table.focus()
    await page.keyboard.press('End')
    await expect.poll(() => rowAt(page, 9_999).innerText()).toContain('node-10000')
    expect(await page.locator('tr.row').count()).toBeLessThanOrEqual(mostRows)

    await heading(page, 'Node').click()
    await table.focus()
    await page.keyboard.press('Home')
    await expect.poll(() => rowAt(page, 0).innerText()).toContain('node-10000')
    await expect.poll(() => new URL(page.url()).searchParams.get('order')).toBe('-hostname')
    await page.getByRole('button', { name: 'offline 4', exact: true }).click()
    await expect.poll(() => rowCount(page)).toBe('5')
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await page.getByRole('searchbox').fill('node-04711')
    await page.keyboard.press('Enter')
    await expect.poll(() => rowCount(page)).toBe('2')
    await table.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('node-04711')
    visitor.expectNoErrors(/status of 401/)
  })

  it('is saved as one file with all nodes', async () => {
    const { visitor, page } = await lab.enter('/nodes')
    await rowAt(page, 0).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ])
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
    expect(lines).toHaveLength(10_001)
    expect(new Set(lines).size).toBe(10_001)
    expect(lines[10_000]).toContain('node-10000')
    visitor.expectNoErrors(/status of 401/)
  })

  it('is a list of devices to scroll to its end and to filter', async () => {
    const visitor = await lab.visit()
    const page = await visitor.open('/devices?order=name')
    await logIn(page, lab.api.key)
    await expect.poll(() => rowCount(page)).toBe('40001')
    await expect.poll(() => rowAt(page, 0).innerText()).toContain('d1')
    await page.getByRole('region', { name: 'Devices' }).focus()
    await page.keyboard.press('End')
    await expect.poll(() => rowAt(page, 39_999).innerText()).toContain('d4')
    expect(await page.locator('tr.row').count()).toBeLessThanOrEqual(mostRows)
    await page.getByRole('button', { name: 'ok 40,000' }).click()
    await page.getByRole('button', { name: 'Everything but this' }).click()
    await page.getByText('Nothing matches').first().waitFor()
    expect(await rowCount(page)).toBe('1')
    visitor.expectNoErrors(/status of 401/)
  })

  it('explains a number by the first 1,000 of its nodes, whose names are read as they come into view', async () => {
    const { visitor, page } = await lab.enter('/explain/health?name=verdict')
    await page.getByText('The list has the first 1,000.').waitFor()
    expect(await rowCount(page)).toBe('1001')
    await page.getByRole('region', { name: 'Nodes and devices' }).focus()
    await page.keyboard.press('End')
    await expect.poll(() => rowAt(page, 999).innerText()).toMatch(/node-0\d{4}/)
    expect(await page.locator('tr.row').count()).toBeLessThanOrEqual(mostRows)
    visitor.expectNoErrors(/status of 401/)
  })

  it('keeps the rows in view while others change nodes', async () => {
    const visitor = await lab.visit()
    const page = await visitor.open('/nodes')
    await logIn(page, lab.api.key)
    await expect.poll(() => page.getByRole('status').filter({ hasText: 'Live' }).count()).toBe(1)
    await page.getByRole('region', { name: 'Nodes' }).evaluate((table) => Object.assign(table, { scrollTop: 170_000 }))
    const row = page.getByRole('row').filter({ hasText: 'node-05010' })
    await expect.poll(() => row.innerText()).toContain('synced')
    await lab.api.database.pool.query(
      "update nodes set config_state = 'drifted' where hostname in ('node-05010', 'node-00003')",
    )
    await expect.poll(() => row.innerText()).toContain('drifted')
    expect(await row.isVisible()).toBe(true)
    visitor.expectNoErrors(/status of 401/)
  })
})

async function addFleet({ database }: TestApi): Promise<void> {
  const { id: cluster } = await database.prisma.cluster.findFirstOrThrow()
  await addLargeFleet(database, cluster, { nodes: 10_000, devicesPerNode: 4 })
  await setStates(database, cluster)
}
