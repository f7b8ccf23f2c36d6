import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { addNode } from '../support/agents/fleet-rows.js'
import { useBrowser } from '../support/console/browser.js'
import { hasBrowser, logIn, settled } from '../support/console/chromium.js'
import { createTestDatabase } from '../support/database/database.js'
import type { TestDatabase } from '../support/database/database.js'
import { startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'

/** What a bad mobile network has: each request costs a third of a second. */
const slowNetwork = { offline: false, latency: 300, downloadThroughput: 60_000, uploadThroughput: 30_000 }

describe.skipIf(!hasBrowser)('the console', () => {
  const visit = useBrowser()
  let database: TestDatabase
  let dataDir: string
  let controlPlane: ControlPlaneProcess
  let key: string

  const start = (listen: string) =>
    startControlPlane({ dataDir, env: { DATABASE_URL: database.url, ROOST_LISTEN: listen, ROOST_LOG_LEVEL: 'error' } })
  const isLive = (page: Page) => page.getByRole('status').filter({ hasText: 'Live' }).count()
  const lost = (page: Page) => page.getByText('The control plane does not answer').count()

  beforeAll(async () => {
    database = await createTestDatabase()
    dataDir = await mkdtemp(join(tmpdir(), 'roost-cp-'))
    controlPlane = await start('127.0.0.1:0')
    ;({ key } = controlPlane)
    const { id: cluster } = await database.prisma.cluster.findFirstOrThrow()
    for (const hostname of ['st-01', 'st-02']) await addNode(database, cluster, { hostname, state: 'online' })
  })
  afterAll(async () => {
    await controlPlane.stop()
    await database.drop()
    await rm(dataDir, { recursive: true, force: true })
  })

  it('shows what is being loaded by a slow network, and then the screen, without a shift of the frame', async () => {
    const visitor = await visit(controlPlane.url)
    const page = await visitor.open('/nodes')
    await logIn(page, key)
    await page.getByRole('link', { name: 'st-01' }).waitFor()
    const slow = await visitor.context.newPage()
    const session = await visitor.context.newCDPSession(slow)
    await session.send('Network.enable')
    // As at a first visit: nothing of it is on this machine.
    await session.send('Network.setCacheDisabled', { cacheDisabled: true })
    await session.send('Network.emulateNetworkConditions', slowNetwork)
    await slow.goto('/nodes', { waitUntil: 'commit' })
    await slow.getByRole('status').filter({ hasText: 'Loading' }).first().waitFor()
    const frame = await slow.getByRole('navigation', { name: 'Screens' }).boundingBox()
    await slow.getByRole('link', { name: 'st-02' }).waitFor()
    expect(await slow.getByRole('navigation', { name: 'Screens' }).boundingBox()).toEqual(frame)
    await slow.getByRole('link', { name: 'Deployments', exact: true }).click()
    await expect.poll(() => slow.getByRole('heading', { level: 1 }).innerText()).toBe('Deployments')
    await settled(slow)
    expect(await lost(slow)).toBe(0)
    visitor.expectNoErrors(/status of 401/)
  })

  it('outlives a restart of the control plane with its session, and with what is typed into a form', async () => {
    const visitor = await visit(controlPlane.url)
    const page = await visitor.open('/users/new')
    await logIn(page, key)
    await page.getByLabel('Name', { exact: true }).fill('harriet')
    await expect.poll(() => isLive(page)).toBe(1)
    const list = await visitor.open('/nodes')
    await list.getByRole('link', { name: 'st-01' }).waitFor()
    const { host } = new URL(controlPlane.url)
    await controlPlane.stop()
    await expect.poll(() => lost(page)).toBe(1)
    expect(await list.getByRole('link', { name: 'st-01' }).count()).toBe(1)
    controlPlane = await start(host.replace('localhost', '127.0.0.1'))
    await expect.poll(() => lost(page)).toBe(0)
    await expect.poll(() => isLive(page)).toBe(1)
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('harriet')
    await page.getByRole('button', { name: 'Create', exact: false }).first().click()
    await expect.poll(() => database.prisma.user.count({ where: { name: 'harriet' } })).toBe(1)
    // The list follows the new process, too.
    await database.prisma.node.updateMany({ where: { hostname: 'st-02' }, data: { configState: 'drifted' } })
    await expect.poll(() => list.getByRole('row').filter({ hasText: 'st-02' }).innerText()).toContain('drifted')
    visitor.expectNoErrors(/status of 401|ERR_/)
  })
})
