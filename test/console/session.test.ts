import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useBrowser } from '../support/console/browser.js'
import { hasBrowser, enterConsole, logIn } from '../support/console/chromium.js'
import type { Visitor } from '../support/console/browser.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { startTcpProxy } from '../support/programs/tcp-proxy.js'

/** Refused requests are lines of the browser's console, and so are streams that the control plane ends with their session. */
const refused = /status of 401|ERR_INCOMPLETE_CHUNKED_ENCODING/

const mainHeading = (page: Page) => page.getByRole('heading', { level: 1 })

describe.skipIf(!hasBrowser)('the session of the console', () => {
  const visit = useBrowser()
  let api: TestApi
  let cluster: number
  beforeAll(async () => {
    api = await startApi()
    cluster = (await api.database.prisma.cluster.findFirstOrThrow()).id
  })
  afterAll(() => api.stop())

  /** An operator who has logged in, and the path on which they are. */
  async function loggedIn(path = '/', credentials = api.key): Promise<{ visitor: Visitor; page: Page }> {
    const visitor = await visit(api.url)
    const page = await visitor.open(path)
    await enterConsole(page, credentials)
    return { visitor, page }
  }

  it('begins with the key of an operator, and no script can read it', async () => {
    const visitor = await visit(api.url)
    const page = await visitor.open('/nodes')
    await logIn(page, 'admin:wrong')
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('not valid')
    await logIn(page, api.key)
    await expect.poll(() => mainHeading(page).textContent()).toBe('Nodes')
    await page.reload()
    await expect.poll(() => mainHeading(page).textContent()).toBe('Nodes')
    const stored = await page.evaluate<string>('document.cookie + JSON.stringify([localStorage, sessionStorage])')
    expect(stored).not.toContain(api.key.split(':')[1])
    expect(stored).not.toContain('__Host-roost')
    visitor.expectNoErrors(refused)
  })

  it('ends by logging out, in every tab', async () => {
    const { visitor, page } = await loggedIn()
    const other = await visitor.open('/users')
    await expect.poll(() => mainHeading(other).textContent()).toBe('Users')
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('button', { name: 'Log out' }).click()
    await expect.poll(() => mainHeading(page).textContent()).toBe('Log in')
    await expect.poll(() => other.getByText('Your session has ended').count()).toBe(1)
    visitor.expectNoErrors(refused)
  })

  it('shows the login above what was typed when the key is revoked, and goes on after it', async () => {
    const credentials = await api.addOperator()
    const { visitor, page } = await loggedIn('/users/new', credentials)
    await page.getByLabel('Name', { exact: true }).fill('harriet')
    const name = credentials.split(':')[0] ?? ''
    const revoke = (revokedAt: Date | null) =>
      api.database.prisma.apiKey.updateMany({ where: { operator: { name } }, data: { revokedAt } })
    await revoke(new Date())
    await expect.poll(() => page.getByText('Your session has ended').count()).toBe(1)
    await revoke(null)
    await logIn(page, credentials)
    await expect.poll(() => page.getByText('Your session has ended').count()).toBe(0)
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('harriet')
    visitor.expectNoErrors(refused)
  })

  it('offers an operator who can only read nothing that would be refused', async () => {
    const { visitor, page } = await loggedIn('/shares', await api.addOperator({ role: 'read_only' }))
    await expect.poll(() => mainHeading(page).textContent()).toBe('Shares')
    await page.goto('/users/new')
    await expect
      .poll(() =>
        page
          .getByRole('button', { name: /Create|Save/ })
          .first()
          .isDisabled(),
      )
      .toBe(true)
    visitor.expectNoErrors(refused)
  })

  it('follows the changes of others in seven tabs by one stream, and another tab goes on with it', async () => {
    const { visitor, page } = await loggedIn()
    const streams: Page[] = []
    visitor.context.on('request', (request) => {
      if (request.url().includes('events.watch')) streams.push(request.frame().page())
    })
    await page.reload()
    const tabs = [page]
    while (tabs.length < 7) tabs.push(await visitor.open('/users'))
    await page.goto('/users')
    for (const tab of tabs) await expect.poll(() => tab.getByRole('status').filter({ hasText: 'Live' }).count()).toBe(1)
    const before = performance.now()
    await addUser('first')
    for (const tab of tabs) {
      await tab.bringToFront()
      await expect.poll(() => tab.getByText('first', { exact: true }).count()).toBe(1)
    }
    console.log(`Seven tabs showed the change of another after ${Math.round(performance.now() - before)} ms.`)
    expect(new Set(streams.slice(-1)).size).toBe(1)
    const leader = streams.at(-1) as Page
    await leader.close()
    await expect.poll(() => streams.at(-1) !== leader).toBe(true)
    const [rest] = tabs.filter((tab) => tab !== leader)
    await addUser('second')
    await rest?.bringToFront()
    await expect.poll(() => rest?.getByText('second', { exact: true }).count()).toBe(1)
    visitor.expectNoErrors(refused)
  })

  it('says that the control plane is away, and continues by itself', async () => {
    const proxy = await startTcpProxy({ port: Number(new URL(api.url).port) })
    const visitor = await visit(`https://127.0.0.1:${proxy.port}`)
    const page = await visitor.open('/users')
    await logIn(page, api.key)
    await expect.poll(() => page.getByRole('status').filter({ hasText: 'Live' }).count()).toBe(1)
    proxy.set({ kind: 'refuse' })
    proxy.reset()
    await expect.poll(() => page.getByText('The control plane does not answer').count()).toBe(1)
    proxy.set({ kind: 'pass' })
    await expect.poll(() => page.getByText('The control plane does not answer').count()).toBe(0)
    await addUser('while-away')
    await expect.poll(() => page.getByText('while-away', { exact: true }).count()).toBe(1)
    visitor.expectNoErrors(/status of 401|ERR_/)
    await visitor.context.close()
    await proxy.close()
  })

  async function addUser(name: string): Promise<void> {
    const body = { user: name, cluster: `/api/v1/clusters/${cluster}/`, password: 'correct-horse-battery' }
    const { status, text } = await api.call('/api/v1/users/', { method: 'POST', body })
    expect([status, text]).toEqual([201, expect.any(String)])
  }
})
