import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { Agent, request } from 'undici'
import type { Reachable } from './control-plane.js'

interface Exchange {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly body: unknown
}

export interface OpenApiDocument {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Operation {
  readonly operationId?: string
  readonly security?: readonly unknown[]
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
}

export interface OpenApiContract {
  readonly document: OpenApiDocument
  /** Throws when the answer of a documented operation is not as documented. */
  check(exchange: Exchange): void
}

/** Reads the document that a control plane serves, and holds its answers against it. */
export async function openApiContract({ url, ca }: Reachable): Promise<OpenApiContract> {
  const agent = new Agent({ connect: { ca } })
  const answer = await request(`${url}/openapi.json`, { dispatcher: agent })
  const document = (await answer.body.json()) as OpenApiDocument
  await agent.close()

  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema(document, 'api')
  const patterns = Object.keys(document.paths).map((path) => ({ path, matches: matcherOf(path) }))

  return {
    document,
    check({ method, path, status, body }) {
      const plain = path.split('?', 1)[0] ?? '/'
      const found = patterns.find(({ matches }) => matches.test(plain))
      const operation = found && document.paths[found.path]?.[method.toLowerCase()]
      if (found === undefined || operation === undefined) return
      const place = `${method} ${found.path} ${status}`
      const response = operation.responses[status]
      if (response === undefined) throw new Error(`${place} is not in the OpenAPI document.`)
      if (response.content?.['application/json'] === undefined) {
        if (body !== undefined) throw new Error(`${place} has a body that the OpenAPI document does not know.`)
        return
      }
      const pointer = [
        'paths',
        found.path,
        method.toLowerCase(),
        'responses',
        status,
        'content',
        'application/json',
        'schema',
      ]
      const name = `api#/${pointer.map((part) => encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`
      const validate = ajv.getSchema(name)
      if (validate === undefined) throw new Error(`${place} has no schema in the OpenAPI document.`)
      if (validate(body) !== true)
        throw new Error(`${place} differs from the OpenAPI document: ${ajv.errorsText(validate.errors)}`)
    },
  }
}

/** Static paths come first in the document's order only by chance, so that a parameter takes no word of the dialect. */
function matcherOf(path: string): RegExp {
  const source = path
    .replace(/\/$/, '')
    .replaceAll(/\{(\w+)\}/g, (_match, name) => (name === 'id' ? '[^/]*(?<!schema)' : '[^/]+'))
  return new RegExp(`^${source}/?$`)
}
