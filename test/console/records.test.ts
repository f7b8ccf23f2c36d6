import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { addDevice, addNode } from '../support/agents/fleet-rows.js'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import { newIdentity } from '../support/agents/simulated-identity.js'
import { faultsOf } from '../support/console/browser.js'
import { hasBrowser, settled } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'

describe.skipIf(!hasBrowser)('the console', () => {
  const lab = useConsole()

  async function open(path: string) {
    const { visitor, page } = await lab.enter(path)
    return { page, end: () => visitor.expectNoErrors(/status of 401/) }
  }

  const dialogOf = (page: Page) => page.getByRole('dialog')
  const press = (page: Page, name: string) => dialogOf(page).getByRole('button', { name, exact: true }).click()

  it('shows the control plane itself, plans an upgrade of agents and starts it, and cancels another one', async () => {
    for (const hostname of ['up-1', 'up-2', 'up-3', 'up-4'])
      await addNode(lab.api.database, lab.cluster, { hostname, state: 'offline', agentVersion: '0.1.0' })
    const { page, end } = await open('/system')
    await page.getByText('decrypts all secrets').waitFor()
    await page.getByText('Roost, which renews it').waitFor()
    await page.getByText('none was made yet').waitFor()
    await expect.poll(() => page.getByText('Version 0.1.0').count()).toBe(1)
    await page.getByText('No upgrade was started').waitFor()
    await page.getByRole('button', { name: 'Upgrade agents …' }).click()
    await dialogOf(page).getByLabel('Percent in each wave').fill('200')
    await press(page, 'Show the plan')
    await dialogOf(page).locator('[aria-invalid="true"]').waitFor()
    await dialogOf(page).getByLabel('Percent in each wave').fill('50')
    await dialogOf(page).getByLabel('Version').fill('0.3.0')
    expect(await faultsOf(page)).toEqual([])
    await press(page, 'Show the plan')
    await dialogOf(page).getByText('4 nodes get version 0.3.0.').waitFor()
    await dialogOf(page).getByText('Nodes by wave: 1 · 2 · 1.').waitFor()
    expect(await lab.api.database.prisma.agentUpgrade.count()).toBe(0)
    await dialogOf(page).getByRole('link', { name: 'up-3' }).waitFor()
    expect(await faultsOf(page)).toEqual([])
    await press(page, 'Upgrade 4 nodes')
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('Upgrade of agents to 0.3.0')
    const states = () => page.getByRole('table').getByRole('row').allInnerTexts()
    // The control plane has no package of it.
    await expect.poll(states).toContainEqual(expect.stringMatching(/up-1.*first.*left out.*no signed package/s))
    await expect.poll(() => page.getByRole('button', { name: 'Cancel what has not begun' }).count()).toBe(0)
    await settled(page)
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'System' }).click()
    await page.getByRole('row').filter({ hasText: '0.3.0' }).getByText('failed').waitFor()

    const waiting = await addUpgradeOfOffline()
    await page.goto(`/system/upgrades/${waiting}`)
    await expect.poll(states).toContainEqual(expect.stringMatching(/up-5.*offline, upgraded when it returns/s))
    await page.getByRole('button', { name: 'Cancel what has not begun' }).click()
    await expect.poll(states).toContainEqual(expect.stringMatching(/up-5.*left out.*Canceled by admin/s))
    end()
  })

  it('sets the addresses of a node, and forgets a device that it has no more', async () => {
    const node = await addNode(lab.api.database, lab.cluster, { hostname: 'st-01', clusterFacingIp: '10.0.0.1' })
    const retired = await addDevice(lab.api.database, lab.cluster, node, {
      name: 'd1',
      agentKey: null,
      status: 'retired',
    })
    await addDevice(lab.api.database, lab.cluster, node, { name: 'd2', status: 'ok' })
    const { page, end } = await open(`/nodes/${node}`)
    await page.getByRole('button', { name: 'Addresses …' }).click()
    await dialogOf(page).getByLabel('Outward address').fill('st-01.example')
    await press(page, 'Save the addresses')
    await dialogOf(page).locator('[aria-invalid="true"]').waitFor()
    await dialogOf(page).getByLabel('Outward address').fill('192.0.2.7')
    await dialogOf(page).getByLabel('Cluster address').fill('')
    await dialogOf(page).getByLabel('Other addresses').fill('10.9.0.1, 10.9.0.2')
    expect(await faultsOf(page)).toEqual([])
    await press(page, 'Save the addresses')
    await expect.poll(() => dialogOf(page).count()).toBe(0)
    expect((await lab.api.get(`/api/v1/nodes/${node}/`)).body).toMatchObject({
      cluster_facing_ip: null,
      outward_facing_ip: '192.0.2.7',
      other_ips: ['10.9.0.1', '10.9.0.2'],
    })
    await page.getByText('192.0.2.7').waitFor()

    await page.getByRole('link', { name: 'Devices', exact: true }).last().click()
    await expect.poll(() => page.getByRole('button', { name: 'Forget' }).count()).toBe(1)
    await page.getByRole('button', { name: 'Forget' }).click()
    await press(page, 'Forget the device')
    await expect.poll(async () => (await lab.api.get(`/api/v1/devices/${retired}/`)).status).toBe(404)
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'd2' }).count()).toBe(1)
    expect(await page.getByRole('row').filter({ hasText: 'd1' }).count()).toBe(0)
    end()
  })

  it('adopts a user of the proxies, and says why another one cannot be adopted', async () => {
    await startProxy()
    const { page, end } = await open('/users')
    await page.getByRole('button', { name: 'Adopt …' }).click()
    const row = (login: string) => dialogOf(page).getByRole('row').filter({ hasText: login })
    await row('test:tester').waitFor()
    await row('test:stray').getByText('It has no key.').waitFor()
    expect(await faultsOf(page)).toEqual([])
    expect(await row('test:stray').getByRole('button', { name: 'Adopt' }).isDisabled()).toBe(true)
    await row('test:tester').getByRole('button', { name: 'Adopt' }).click()
    await expect.poll(() => row('test:tester').count()).toBe(0)
    const { body } = await lab.api.get('/api/v1/users/')
    expect(body.objects).toMatchObject([{ user: 'test-tester', login: 'test:tester', account: 'AUTH_test' }])
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'test-tester' }).waitFor()
    end()
  })

  it('shows with what a user of tempauth reaches its account by S3', async () => {
    const cluster = `/api/v1/clusters/${lab.cluster}/`
    const body = { cluster, user: 'of-s3', password: 'correct-horse-battery' }
    const { id } = (await lab.api.call('/api/v1/users/', { method: 'POST', body })).body
    const { page, end } = await open(`/users/${id}`)
    const keys = page.getByRole('region', { name: 'Keys for S3' })
    await keys.getByText('its secret key the password').waitFor()
    expect(await keys.locator('code').allInnerTexts()).toEqual(['of-s3:of-s3'])
    expect(await keys.getByRole('button').allInnerTexts()).toHaveLength(1)
    expect(await faultsOf(page)).toEqual([])
    end()
  })

  /** An upgrade that has ended, and that an offline node is still to get. */
  async function addUpgradeOfOffline(): Promise<number> {
    const nodeId = await addNode(lab.api.database, lab.cluster, {
      hostname: 'up-5',
      state: 'offline',
      agentVersion: '0.1.0',
    })
    const target = { nodeId, wave: 1, state: 'offline', message: '', fromVersion: '0.1.0' }
    const { id } = await lab.api.database.prisma.agentUpgrade.create({
      data: {
        clusterId: lab.cluster,
        version: '0.3.0',
        canary: 1,
        wavePercent: 10,
        state: 'COMPLETED_SUCCESS',
        finishedAt: new Date(),
        targets: { create: target },
      },
    })
    return id
  }

  /** A proxy whose configuration has two users that Roost did not create. */
  async function startProxy(): Promise<void> {
    const identity = newIdentity()
    const { uuid, publicKey } = identity
    const role = { create: { runsProxy: true } }
    await addNode(lab.api.database, lab.cluster, {
      uuid,
      publicKey,
      machineId: `machine-${uuid}`,
      hostname: 'px-01',
      role,
    })
    const userOf = (name: string, problem: string | null) => ({
      line: `user_test_${name}`,
      login: `test:${name}`,
      account: 'AUTH_test',
      groups: ['.admin'],
      file: '/etc/swift/proxy-server.conf',
      key_mac: `mac-${name}`,
      problem,
    })
    const users = [userOf('tester', null), userOf('stray', 'It has no key.')]
    const agent: SimulatedAgent = new SimulatedAgent({
      url: lab.api.url,
      ca: lab.api.ca,
      identity,
      onMessage(message) {
        if (message.type === 'request' && message.kind === 'proxy_users')
          agent.send({ type: 'answer', id: message.id, result: { users }, error: null })
      },
    })
    onTestFinished(() => agent.stop())
    agent.dial()
    await agent.until(({ welcomed }) => welcomed > 0)
  }
})
