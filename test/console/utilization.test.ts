import { readFile } from 'node:fs/promises'
import { createUsageIntake } from '@roost/control-plane/dist/utilization/intake.js'
import { createUsageIntakeStore } from '@roost/control-plane/dist/utilization/intake-store.js'
import { createLog } from '@roost/control-plane/dist/lifecycle/log.js'
import { describe, expect, it } from 'vitest'
import { faultsOf } from '../support/console/browser.js'
import { hasBrowser, logIn } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'
import { addProxy, halfHourMs, storageOf, transferOf, usageMessage } from '../support/database/usage-rows.js'
import type { TestApi } from '../support/http/api.js'

describe.skipIf(!hasBrowser)('the utilization in the console', () => {
  const lab = useConsole(addUsage)

  it('shows accounts of a period, one by the hour, and gives the same as CSV', async () => {
    const visitor = await lab.visit()
    const page = await visitor.open('/utilization')
    await logIn(page, lab.api.key)
    const row = page.locator('.data-table').getByRole('row').filter({ hasText: 'AUTH_bob' })
    await expect.poll(() => row.innerText()).toContain('3 GB')
    await page.locator('.data-table').getByRole('link', { name: 'amy AUTH_amy' }).waitFor()
    await expect.poll(() => page.getByRole('status').allInnerTexts()).toContain('2 accounts')
    expect(await faultsOf(page)).toEqual([])
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('main').getByRole('link', { name: 'CSV' }).first().click(),
    ])
    const csv = await readFile(await download.path(), 'utf8')
    expect(csv).toContain('AUTH_bob')
    expect(csv.trim().split('\n')).toHaveLength(3)

    const stored = page.getByRole('region', { name: 'Stored by policy, by the day' })
    await stored.getByRole('button', { name: 'As table' }).click()
    const headings = stored.getByRole('table').getByRole('columnheader')
    expect((await headings.allInnerTexts()).slice(1)).toEqual(['policy-0'])
    await expect.poll(() => stored.getByRole('table').innerText()).toContain('3.00 GB')
    const largest = page.getByRole('region', { name: 'Largest accounts, all policies' })
    const firstOf = async () => (await largest.getByRole('row').nth(1).innerText()).replaceAll(/\s+/g, ' ')
    await expect.poll(firstOf).toBe('AUTH_bob 3 GB')
    const [series] = await Promise.all([
      page.waitForEvent('download'),
      stored.getByRole('link', { name: 'CSV' }).click(),
    ])
    expect(await readFile(await series.path(), 'utf8')).toMatch(/,3000005000,/)

    await page.getByRole('button', { name: 'Transfer' }).click()
    await page.getByRole('region', { name: 'Transfer by the day' }).waitFor()
    await expect.poll(firstOf).toBe('AUTH_bob 7 MB 2 kB')
    await expect.poll(() => row.innerText()).toContain('7 MB')
    await row.getByRole('link', { name: 'AUTH_bob' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'As table' }).click()
    await expect.poll(() => page.getByRole('dialog').getByRole('table').innerText()).toContain('7 MB')
    expect(await faultsOf(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Last month' }).click()
    await page.getByText('No usage in this period').waitFor()
    visitor.expectNoErrors(/status of 401/)
  })
})

/** A user of Roost, and what two nodes report of the half-hour before the last one. */
async function addUsage(api: TestApi): Promise<void> {
  const { database } = api
  const { id: cluster } = await database.prisma.cluster.findFirstOrThrow()
  const user = { cluster: `/api/v1/clusters/${cluster}/`, user: 'amy', password: 'correct-horse-battery' }
  expect((await api.call('/api/v1/users/', { method: 'POST', body: user })).status).toBe(201)
  const nodes = [await addProxy(database, cluster), await addProxy(database, cluster)]
  const intake = createUsageIntake({
    store: createUsageIntakeStore(database),
    oldestKept: () => 0,
    now: Date.now,
    log: createLog({ level: 'error', out: process.stderr }),
  })
  const message = {
    storage: [storageOf('AUTH_bob', 3_000_000_000), storageOf('AUTH_amy', 5_000)],
    transfer: [transferOf('AUTH_bob', 3_500_000, 1_000)],
    log_read: 1,
  }
  const start = Math.floor(Date.now() / halfHourMs) * halfHourMs - halfHourMs
  for (const node of nodes) await intake.accept(node, usageMessage(start, message))
}
