import { describe, expect, it } from 'vitest'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { faultsOf } from '../support/console/browser.js'
import { hasBrowser } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'

/** What a copy cannot have in common with what it was made from. */
const ownFields = ({ id: _id, resource_uri: _uri, ...others }: Readonly<Record<string, unknown>>) => others

describe.skipIf(!hasBrowser)('a copy in the console', () => {
  const lab = useConsole()

  async function add(path: string, body: object) {
    const { status, body: added } = await lab.api.call(path, { method: 'POST', body })
    expect(status).toBe(201)
    return added
  }

  it('of a share has every field but its name and its password, in the cluster of the share', async () => {
    const { database } = lab.api
    const cluster = await addCluster(database, 'other')
    await addNode(database, cluster, { hostname: 'gw-a', role: { create: { runsGateway: true } } })
    const node = await addNode(database, cluster, { hostname: 'gw-b', role: { create: { runsGateway: true } } })
    const settings = {
      protocol: 'cifs',
      objectstore_container: 'projects',
      enabled: false,
      access_mode: 'ro',
      clients_allowed_list: '10.20.0.0/16',
      upload_delay: 7,
      cache_size_mb: 512,
      write_retain: false,
      no_apple_doubles: false,
      cifs_guest_ok: false,
      cifs_browseable: false,
      cifs_create_mask: '0600',
      cifs_directory_mask: '0700',
      cifs_valid_users: 'amy',
      cifs_valid_groups: 'staff',
    }
    const share = { ...settings, name: 'projects', node: `/api/v1/nodes/${node}/`, password: 'correct-horse' }
    const { id } = await add('/api/v1/gateway_shares/', share)
    const { visitor, page } = await lab.enter(`/shares/${id}`)
    await page.getByRole('button', { name: 'Copy …' }).click()
    await page.getByText('With the settings of projects.', { exact: false }).waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('')
    await page.getByText('Without guests and without a password', { exact: false }).waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.getByLabel('Name', { exact: true }).fill('archive')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('archive')
    const { objects } = (await lab.api.get(`/api/v1/gateway_shares/?node=${node}&order_by=id`)).body
    const [first, second] = objects as readonly Record<string, unknown>[]
    expect(first).toMatchObject(settings)
    expect(ownFields(second ?? {})).toEqual({ ...ownFields(first ?? {}), name: 'archive' })
    visitor.expectNoErrors(/status of 401/)
  })

  it('of a user has its rights, and a name and a password of its own', async () => {
    const cluster = await addCluster(lab.api.database, 'third')
    const rights = { is_superuser: true, enabled: false }
    const body = { user: 'amy', cluster: `/api/v1/clusters/${cluster}/`, password: 'correct-horse-battery', ...rights }
    const { id } = await add('/api/v1/users/', body)
    const { visitor, page } = await lab.enter(`/users/${id}`)
    await page.getByRole('button', { name: 'Copy …' }).click()
    await page.getByRole('heading', { name: 'A user with the rights of amy' }).waitFor()
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).not.toBe('correct-horse-battery')
    expect(await faultsOf(page)).toEqual([])
    await page.getByLabel('Name', { exact: true }).fill('ben')
    await page.getByRole('button', { name: 'Create user' }).click()
    await page.getByRole('dialog').getByText('ben is created').waitFor()
    const { objects } = (await lab.api.get(`/api/v1/users/?cluster=${cluster}&order_by=id`)).body
    expect(objects).toEqual([
      expect.objectContaining({ user: 'amy', ...rights }),
      expect.objectContaining({ user: 'ben', ...rights }),
    ])
    visitor.expectNoErrors(/status of 401/)
  })

  it('is not offered to an operator who can only read', async () => {
    const reader = await lab.api.addOperator({ role: 'read_only' })
    const { id } = await add('/api/v1/users/', {
      user: 'cleo',
      cluster: `/api/v1/clusters/${lab.cluster}/`,
      password: 'correct-horse-battery',
    })
    const { page } = await lab.enter(`/users/${id}`, reader)
    const button = page.getByRole('button', { name: 'Copy …' })
    await button.waitFor()
    expect(await button.getAttribute('aria-disabled')).toBe('true')
  })
})
