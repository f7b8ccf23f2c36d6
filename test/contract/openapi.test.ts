import { alertCodes } from '@roost/api-types/checks'
import { alertPage } from '@roost/api-types/rest'
import { expect, it } from 'vitest'
import { useApi } from '../support/http/shared-api.js'
import { openApiContract } from '../support/http/openapi-contract.js'
import type { Media } from '../support/http/openapi-contract.js'

const api = await useApi()
const contract = await openApiContract(api.controlPlane)
const { document } = contract

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
  for (const path of ['/', '/healthz', '/readyz', '/api', '/api/v1/', '/install.sh', '/packages/{name}'])
    expect([path, document.paths[path]?.['get']?.security]).toEqual([path, []])
})

/** The examples of a body: beside its schema, in it, or in the one that it refers to. */
function examplesOf({ schema, example, examples }: Media): readonly unknown[] {
  const { components } = document as unknown as { components: { schemas: Record<string, { examples?: unknown[] }> } }
  const { $ref = '', examples: own = [] } = (schema ?? {}) as { $ref?: string; examples?: unknown[] }
  const referred = components.schemas[$ref.replace('#/components/schemas/', '')]?.examples ?? []
  const beside = Object.values(examples ?? {}).map(({ value }) => value)
  return [...(example === undefined ? [] : [example]), ...beside, ...own, ...referred]
}

it('every body that is sent or answered as JSON has an example, which is as documented', () => {
  const bodies = operations().flatMap(({ path, method, operation }) => {
    const { requestBody, responses } = operation
    const parts = Object.entries(responses).map(([status, answer]) => [['responses', status], answer] as const)
    const all = requestBody === undefined ? parts : [...parts, [['requestBody'], requestBody] as const]
    return all.flatMap(([steps, { content = {} }]) => {
      const media = content['application/json']
      return media === undefined
        ? []
        : [{ at: ['paths', path, method, ...steps, 'content', 'application/json'], media }]
    })
  })
  expect(bodies.length).toBeGreaterThan(500)
  const faults = bodies.flatMap(({ at, media }) => {
    const examples = examplesOf(media)
    if (examples.length === 0) return [`${at.join(' ')} has no example`]
    return examples.flatMap(
      (example) => contract.faultOf([...at, 'schema'], example)?.concat(` at ${at.join(' ')}`) ?? [],
    )
  })
  expect(faults).toEqual([])
})

it('every refusal has the shape of an error, and 400 that of faulty fields too', () => {
  const fields = { users: { password: ['Ensure this value has at least 20 characters.'] } }
  for (const { path, method, operation } of operations())
    for (const [status, answer] of Object.entries(operation.responses).filter(([status]) => Number(status) >= 400)) {
      const schema = ['paths', path, method, 'responses', status, 'content', 'application/json', 'schema']
      const name = `${method} ${path} ${status}`
      expect([name, contract.faultOf(schema, { error: 'A sentence.' })]).toEqual([name, undefined])
      expect([name, contract.faultOf(schema, fields) === undefined]).toEqual([name, status === '400'])
      expect([name, contract.faultOf(schema, { message: 'x' })]).toEqual([name, expect.any(String)])
      expect(answer.description).not.toBe('Default Response')
    }
})

it('every operation that is read by its query says what may be in it', () => {
  const named = (path: string) => {
    const { parameters = [] } = (document.paths[path]?.['get'] ?? {}) as { parameters?: { name: string }[] }
    return parameters.map(({ name }) => name)
  }
  expect(named('/')).toEqual(['url'])
  expect(named('/api/v1/users/')).toEqual(expect.arrayContaining(['cluster', 'user', 'limit', 'offset', 'order_by']))
  expect(named('/api/v1/nodes/{id}/metrics/poll/')).toContain('metrics')
  expect(named('/api/v1/clusters/{id}/utilization/transfer/total/')).toEqual(
    expect.arrayContaining(['start', 'end', 'format']),
  )
})

const parametersOf = (path: string, method = 'get') =>
  new Map((document.paths[path]?.[method]?.parameters ?? []).map((parameter) => [parameter.name, parameter]))

it('parameters say what is required, what repeats, and which values there are', () => {
  expect(parametersOf('/api/v1/nodes/{id}/metrics/poll/').get('metrics')).toMatchObject({
    required: true,
    schema: { type: 'array', items: { type: 'string' } },
  })
  const usage = parametersOf('/api/v1/clusters/{id}/utilization/transfer/total/')
  expect([usage.get('start')?.required, usage.get('end')?.required]).toEqual([true, false])
  const nodes = parametersOf('/api/v1/nodes/')
  expect(nodes.get('state')?.schema).toMatchObject({ enum: expect.arrayContaining(['online', 'offline']) })
  expect(nodes.get('state__in')).toMatchObject({ explode: false, schema: { type: 'array', items: { type: 'string' } } })
  expect(nodes.get('order_by')?.schema).toMatchObject({ type: 'array' })
  expect(parametersOf('/api/v1/gateway_shares/').get('protocol')?.schema).toMatchObject({ enum: ['nfs', 'cifs'] })
  for (const [name, { required }] of nodes) expect([name, required]).toEqual([name, false])
})

it('the headers of conditions and repetitions are in it', () => {
  const etag = { headers: { ETag: expect.anything() } }
  for (const name of ['users', 'gateway_shares']) {
    const record = `/api/v1/${name}/{id}/`
    expect(document.paths[record]?.['get']?.responses['200']).toMatchObject(etag)
    expect(document.paths[record]?.['patch']?.responses['202']).toMatchObject(etag)
    for (const method of ['patch', 'delete'])
      expect(parametersOf(record, method).get('If-Match')).toMatchObject({ in: 'header', required: false })
    expect(parametersOf(`/api/v1/${name}/`, 'post').get('Idempotency-Key')).toMatchObject({ in: 'header' })
  }
  const posts = operations().filter(({ path, method }) => method === 'post' && path.startsWith('/api/v1/'))
  expect(posts.map(({ path }) => path)).toContain('/api/v1/nodes/{id}/drift/')
  // A preview stores nothing: its repetition is harmless.
  const stored = posts.filter(({ path }) => !path.endsWith('/preview/'))
  for (const { path } of stored) expect([path, parametersOf(path, 'post').has('Idempotency-Key')]).toEqual([path, true])
})

it('a change of several records needs their resource_uri', () => {
  const steps = ['paths', '/api/v1/nodes/', 'patch', 'requestBody', 'content', 'application/json', 'schema']
  expect(contract.faultOf(steps, { objects: [{ resource_uri: '/api/v1/nodes/7/', enabled: false }] })).toBeUndefined()
  expect(contract.faultOf(steps, { objects: [{ enabled: false }] })).toContain('resource_uri')
})

it('every operation has an id, and the document a server', () => {
  expect(operations().filter(({ operation }) => operation.operationId === undefined)).toEqual([])
  const ids = operations().map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(document.servers).toEqual([expect.objectContaining({ url: '/' })])
})

/** Every object of the document below this one, with the steps to it. What examples contain is none. */
function partsOf(part: unknown, at: readonly string[] = []): readonly { at: readonly string[]; part: object }[] {
  if (typeof part !== 'object' || part === null) return []
  const below = Object.entries(part).filter(([name]) => !['example', 'examples', 'value'].includes(name))
  return [{ at, part }, ...below.flatMap(([name, one]) => partsOf(one, [...at, name]))]
}

/** `properties` maps names to schemas: a property may be called `type` or `default`. */
const isSchema = (part: object, at: readonly string[]) =>
  at.at(-1) !== 'properties' && ['type', 'anyOf', '$ref'].some((keyword) => keyword in part)

/** The examples and the default that a schema has. */
function givenBy(schema: { examples?: unknown; example?: unknown; default?: unknown }): readonly unknown[] {
  const { examples, example, default: normal } = schema
  return [examples, [example], [normal]]
    .flatMap((one) => (Array.isArray(one) ? (one as unknown[]) : []))
    .filter(isGiven)
}
const isGiven = (value: unknown) => value !== undefined

it('every example and default fits its schema', () => {
  const schemas = partsOf(document).filter(({ part, at }) => isSchema(part, at) && givenBy(part).length > 0)
  expect(schemas.length).toBeGreaterThan(100)
  const faults = schemas.flatMap(({ at, part }) =>
    givenBy(part).flatMap((value) => contract.faultOf(at, value)?.concat(` at ${at.join(' ')}`) ?? []),
  )
  expect(faults).toEqual([])
})

it('utilization is documented as CSV too', () => {
  const asCsv = operations().filter(({ operation }) => operation.responses['200']?.content?.['text/csv'] !== undefined)
  expect(asCsv.map(({ path }) => path)).toEqual(
    Object.keys(document.paths).filter((path) => path.includes('/utilization/')),
  )
})

it('says what to type after Authorize, in text that no page takes for a tag', async () => {
  const { components } = document as unknown as {
    readonly components: { readonly securitySchemes: { readonly apikey: { readonly description: string } } }
  }
  const { description } = components.securitySchemes.apikey
  expect(description).toContain('Enter `apikey USER:KEY`.')
  expect(description).not.toMatch(/[<>]/)
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

it('the page of each alert is served at its path, without a key', async () => {
  for (const code of alertCodes) {
    const page = await api.get(alertPage(code), { authorization: null })
    expect([code, page.status, page.text.split('\n', 1)[0]]).toEqual([code, 200, `# ${code}`])
  }
  expect((await api.get(alertPage('UNKNOWN'))).status).toBe(404)
})
