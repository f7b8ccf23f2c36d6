import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv/dist/2020.js'
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

  const validatorAt = (pointer: readonly string[]) => {
    const parts = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    return ajv.getSchema(`api#/${parts.join('/')}`)
  }
  return {
    document,
    check({ method, path, status, body }) {
      const plain = path.split('?', 1)[0] ?? '/'
      const documented = patterns.find(({ matches }) => matches.test(plain))?.path
      const verb = method.toLowerCase()
      if (documented === undefined || document.paths[documented]?.[verb] === undefined) return
      const fault = faultOf(validatorAt, ['paths', documented, verb, 'responses', String(status)], body)
      if (fault !== undefined) throw new Error(`${method} ${documented} ${status}: ${fault}`)
    },
  }
}

type ValidatorAt = (pointer: readonly string[]) => ValidateFunction | undefined

/** In what an answer differs from the document; undefined when it does not. */
function faultOf(validatorAt: ValidatorAt, response: readonly string[], body: unknown): string | undefined {
  if (validatorAt(response) === undefined) return 'this status is not in the OpenAPI document.'
  const validate = validatorAt([...response, 'content', 'application/json', 'schema'])
  if (validate === undefined) return body === undefined ? undefined : 'the OpenAPI document knows no body.'
  return validate(body) ? undefined : JSON.stringify(validate.errors)
}

/** Static paths come first in the document's order only by chance, so that a parameter takes no word of the dialect. */
function matcherOf(path: string): RegExp {
  const source = path
    .replace(/\/$/, '')
    .replaceAll(/\{(\w+)\}/g, (_match, name) => (name === 'id' ? '[^/]*(?<!schema)' : '[^/]+'))
  return new RegExp(`^${source}/?$`)
}
