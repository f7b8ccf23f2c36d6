import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

const anonymous = { authorization: null }

/** Returns the addresses of the files that a page needs. */
function filesOf(page: string): string[] {
  return [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file)
}

const page = (path: string) => api.get(path, anonymous)

it('serves the page at / and at the paths of its screens, without credentials', async () => {
  for (const path of ['/', '/nodes', '/nodes/', '/nodes/7', '/nodes/7/devices', '/?cluster=1']) {
    const { status, headers, text } = await page(path)
    expect([path, status, headers['content-type']]).toEqual([path, 200, 'text/html; charset=utf-8'])
    expect(text).toContain('<div id="root">')
  }
})

it('leaves every other path unknown', async () => {
  for (const path of ['/nope', '/index.html', '/assets/none.js', '/node', '/boot.js.br'])
    expect([path, (await page(path)).status]).toEqual([path, 404])
})

it('names its files relative to its own path, so that a proxy can serve it below any path', async () => {
  for (const path of ['/', '/nodes', '/nodes/7/devices']) {
    const files = filesOf((await page(path)).text)
    expect(files.length).toBeGreaterThan(3)
    for (const file of files) {
      const { pathname } = new URL(file, `https://proxy.example/roost${path}`)
      expect(pathname).toMatch(/^\/roost\//)
      expect([pathname, (await api.get(pathname.slice('/roost'.length), anonymous)).status]).toEqual([pathname, 200])
    }
  }
})

it('has a policy without exceptions on the page, and forbids frames', async () => {
  const { headers } = await page('/nodes')
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  )
  expect(headers['x-frame-options']).toBe('DENY')
  expect(headers['cache-control']).toBe('no-cache')
})

it('contains no inline script and no inline style', async () => {
  const { text } = await page('/')
  expect(text.match(/<script(?![^>]*\bsrc=)[^>]*>|<style|\bstyle=|\bon\w+=/g)).toBeNull()
})

it('serves its files compressed, and those with a digest in their name as unchangeable', async () => {
  const file = filesOf((await page('/')).text).find((name) => /assets\/vendor-.*\.js$/.test(name)) ?? ''
  const path = file.replace(/^\./, '')
  for (const coding of ['br', 'gzip']) {
    const { status, headers } = await api.get(path, { ...anonymous, 'accept-encoding': coding })
    expect([status, headers['content-encoding']]).toEqual([200, coding])
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers).not.toHaveProperty('content-security-policy')
  }
  expect((await api.get('/boot.js', anonymous)).headers['cache-control']).toBe('no-cache')
})

it('still redirects /?url= to the documentation', async () => {
  const { status, headers } = await api.get('/?url=/api/v1/nodes/', anonymous)
  expect([status, headers['location']]).toEqual([302, '/docs/#/nodes/get_nodes'])
})
