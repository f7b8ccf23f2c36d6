import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApi } from '../support/api.js'
import type { TestApi } from '../support/api.js'
import { openApiContract } from '../support/openapi-contract.js'
import type { OpenApiDocument } from '../support/openapi-contract.js'

let api: TestApi
let document: OpenApiDocument
beforeAll(async () => {
  api = await startApi()
  document = (await openApiContract(api.controlPlane)).document
})
afterAll(() => api.stop())

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

it('the document is OpenAPI 3.1 and needs no credentials', async () => {
  const answer = await api.get('/openapi.json', { authorization: null })
  expect(answer.body.openapi).toBe('3.1.0')
  expect(answer.body.info.title).toBe('Roost')
})

it('every method of every route of the API is in it, and nothing else', async () => {
  const index: Record<string, unknown> = (await api.get('/api/v1/')).body
  const documented = operations().map(({ path, method }) => `${method.toUpperCase()} ${path}`)
  const served: string[] = []
  for (const path of [...Object.keys(document.paths), ...Object.keys(index).map((name) => `/api/v1/${name}/{id}/`)]) {
    const concrete = path.replaceAll(/\{\w+\}/g, '1')
    const { headers } = await api.call(concrete, { method: 'PROPFIND' })
    const methods = String(headers['allow']).split(', ')
    served.push(...methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${path}`))
  }
  expect(new Set(documented)).toEqual(new Set(served))
  for (const name of Object.keys(index))
    for (const rest of ['', '{id}/', 'schema/', 'set/{ids}/'])
      expect(documented).toContain(`GET /api/v1/${name}/${rest}`)
})

it('every operation of a resource has an id of its own, its errors, and needs a key', () => {
  const ofResources = operations().filter(({ path }) => /^\/api\/v1\/\w/.test(path))
  const ids = ofResources.map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { path, method, operation } of ofResources) {
    const statuses = Object.keys(operation.responses)
    expect([path, method, statuses]).toEqual([
      path,
      method,
      expect.arrayContaining(['401', '404', '429', '500', '503']),
    ])
    expect(operation.security).toBeUndefined()
  }
})

it('what is open says so', () => {
  for (const path of ['/healthz', '/readyz', '/api', '/api/v1/'])
    expect([path, document.paths[path]?.['get']?.security]).toEqual([path, []])
})

it('records and errors have examples', () => {
  const { components } = document as unknown as { components: { schemas: Record<string, { examples?: unknown[] }> } }
  for (const name of [
    'Cluster',
    'Node',
    'NodeRole',
    'Device',
    'StoragePolicy',
    'Capacity',
    'MetricNames',
    'MetricSamples',
    'Error',
    'FieldErrors',
  ])
    expect([name, components.schemas[name]?.examples?.length]).toEqual([name, 1])
})

it('the page at /docs shows it without anything from elsewhere', async () => {
  const page = await api.get('/docs/', { authorization: null })
  const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source = '']) => source)
  expect(sources.length).toBeGreaterThan(3)
  for (const source of sources) {
    const { origin, pathname } = new URL(source, `${api.url}/docs/`)
    expect(origin).toBe(api.url)
    expect([source, (await api.get(pathname, { authorization: null })).status]).toEqual([source, 200])
  }
  expect(page.headers['content-security-policy']).toContain("default-src 'self'")
  expect(page.text).not.toMatch(/<script>(?!\s*<)/)
})
