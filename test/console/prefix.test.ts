import { readFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addNode } from '../support/agents/fleet-rows.js'
import { faultsOf } from '../support/console/browser.js'
import { enterConsole, hasBrowser, logIn, settled } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'
import { repository } from '../support/http/control-plane.js'
import { makeCertificates } from '../support/keystone/certificates.js'
import type { Certificates } from '../support/keystone/certificates.js'
import { freePort } from '../support/programs/free-port.js'
import { hasNginx, startNginx } from '../support/programs/nginx.js'

const port = await freePort()
const origin = `https://127.0.0.1:${port}`

describe.skipIf(!hasBrowser || !hasNginx)('the console below a path of nginx', () => {
  const lab = useConsole(undefined, { ROOST_BEHIND_PROXY: '1' })
  let dir: string
  let certificates: Certificates
  let nginx: Awaited<ReturnType<typeof startNginx>>

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'roost-certificates-'))
    certificates = await makeCertificates(dir)
    nginx = await startNginx(await documented(), port)
  })
  afterAll(async () => {
    await nginx.stop()
    await rm(dir, { recursive: true, force: true })
  })

  /** Returns the configuration of docs/console.md, with the addresses and files of this suite. */
  async function documented(): Promise<string> {
    const [, found] = /```nginx\n(.+?)```/s.exec(await readFile(join(repository, 'docs/console.md'), 'utf8')) ?? []
    const changes = [
      ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
      ['/etc/ssl/certs/example.com.pem', certificates.certificate],
      ['/etc/ssl/private/example.com.key', certificates.key],
      ['https://localhost:8443/', `https://localhost:${new URL(lab.api.url).port}/`],
      ['/var/lib/roost/ca.pem', join(lab.api.controlPlane.dataDir, 'ca.pem')],
    ] as const
    return changes.reduce((text, [from, to]) => {
      expect(text).toContain(from)
      return text.replace(from, to)
    }, found ?? '')
  }

  const heading = (page: Page) => page.getByRole('heading', { level: 1 })
  const isLive = (page: Page) => page.getByRole('status').filter({ hasText: 'Live' }).count()

  it('logs in, shows a deep address again after a reload, and logs out, with all requests below the path', async () => {
    const visitor = await lab.visit({ url: origin })
    const requests: string[] = []
    visitor.context.on('request', (request) => requests.push(new URL(request.url()).pathname))
    const page = await visitor.open('/roost')
    await logIn(page, 'admin:wrong')
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('not valid')
    await enterConsole(page, lab.api.key)
    expect(page.url()).toBe(`${origin}/roost/`)
    const node = await addNode(lab.api.database, lab.cluster, { hostname: 'st-deep' })
    await page.goto(`/roost/nodes/${node}/hardware`)
    await page.reload()
    await expect.poll(() => heading(page).innerText()).toBe('st-deep')
    await page.getByRole('link', { name: 'Users', exact: true }).click()
    await expect.poll(() => heading(page).innerText()).toBe('Users')
    expect(page.url()).toBe(`${origin}/roost/users`)
    await settled(page)
    expect(await faultsOf(page)).toEqual([])

    const [cookie] = await visitor.context.cookies()
    expect(cookie).toMatchObject({ name: '__Host-roost', path: '/', httpOnly: true, secure: true, sameSite: 'Strict' })
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('button', { name: 'Log out' }).click()
    await expect.poll(() => heading(page).innerText()).toBe('Log in')
    expect(await visitor.context.cookies()).toEqual([])
    await page.reload()
    await expect.poll(() => heading(page).innerText()).toBe('Log in')
    expect(requests.filter((path) => !path.startsWith('/roost'))).toEqual([])
    for (const path of ['/roost/session', '/roost/trpc/'])
      expect(requests.some((request) => request.startsWith(path))).toBe(true)
    visitor.expectNoErrors(/status of (401|404)|ERR_INCOMPLETE_CHUNKED_ENCODING/)
  })

  it('shows what others change by the live stream, and paths of the API without the prefix', async () => {
    const visitor = await lab.visit({ url: origin })
    const page = await visitor.open('/roost/users')
    await enterConsole(page, lab.api.key)
    await expect.poll(() => isLive(page)).toBe(1)
    const body = { user: 'harriet', cluster: `/api/v1/clusters/${lab.cluster}/`, password: 'correct-horse-battery' }
    const created = await lab.api.call('/api/v1/users/', { method: 'POST', body })
    expect(created.body.resource_uri).toMatch(/^\/api\/v1\/users\/\d+\/$/)
    await page.getByRole('link', { name: 'harriet' }).click()
    await expect.poll(() => heading(page).innerText()).toBe('harriet')
    expect(page.url()).toBe(`${origin}/roost${created.body.resource_uri.replace('/api/v1', '').replace(/\/$/, '')}`)
    await page.getByRole('button', { name: 'Disable' }).click()
    await expect.poll(async () => (await lab.api.get(created.body.resource_uri)).body.enabled).toBe(false)
    const [change] = (await lab.api.get('/api/v1/audit_events/?resource=users&order_by=-at&limit=1')).body.objects
    expect(change).toMatchObject({ action: 'change', resource_id: Number(created.body.id) })
    visitor.expectNoErrors(/status of 401/)
  })

  it('saves a view without the prefix, and opens it from the palette below the path', async () => {
    const visitor = await lab.visit({ url: origin })
    const page = await visitor.open('/roost/users?q=har')
    await enterConsole(page, lab.api.key)
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('textbox', { name: 'Save this view as' }).fill('Harriets')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    const [view] = (await lab.api.get('/api/v1/views/')).body.objects
    expect(view).toMatchObject({ name: 'Harriets', address: '/users?q=har' })
    await page.goto('/roost/nodes')
    await settled(page)
    await page.keyboard.press('Control+K')
    await page.getByRole('combobox').fill('Harriets')
    await page.getByRole('option', { name: /Harriets/ }).click()
    await expect.poll(() => page.url()).toBe(`${origin}/roost/users?q=har`)
    visitor.expectNoErrors(/status of 401/)
  })
})
