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
  readonly servers?: readonly object[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Operation {
  readonly operationId?: string
  readonly requestBody?: Answer
  readonly parameters?: readonly Parameter[]
  readonly security?: readonly unknown[]
  readonly responses: Readonly<Record<string, Answer>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema?: object
}

interface Answer {
  readonly description?: string
  readonly content?: Readonly<Record<string, Media>>
}

export interface Media {
  readonly schema?: object
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

export interface OpenApiContract {
  readonly document: OpenApiDocument
  /** Throws when the answer of a documented operation is not as documented. */
  check(exchange: Exchange): void
  /** The documented path that a request goes to; undefined where the method of that path is not documented. */
  pathOf(method: string, path: string): string | undefined
  /** In what a value differs from the schema at these steps of the document; undefined when it does not. */
  faultOf(steps: readonly string[], value: unknown): string | undefined
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
  // A word of the dialect goes before a parameter in its place.
  const patterns = Object.keys(document.paths)
    .toSorted((one, other) => (plainly(one) < plainly(other) ? -1 : 1))
    .map((path) => ({ path, matches: matcherOf(path) }))

  const validatorAt = (pointer: readonly string[]) => {
    const parts = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    return ajv.getSchema(`api#/${parts.join('/')}`)
  }
  const pathOf = (method: string, path: string) => {
    const plain = path.split('?', 1)[0] ?? '/'
    const documented = patterns.find(({ matches }) => matches.test(plain))?.path
    return documented === undefined || document.paths[documented]?.[method.toLowerCase()] === undefined
      ? undefined
      : documented
  }
  return {
    document,
    pathOf,
    faultOf(steps, value) {
      const validate = validatorAt(steps)
      if (validate === undefined) return 'there is no such schema.'
      return validate(value) ? undefined : JSON.stringify(validate.errors)
    },
    check({ method, path, status, body }) {
      const documented = pathOf(method, path)
      if (documented === undefined) return
      const steps = ['paths', documented, method.toLowerCase(), 'responses', String(status)]
      const fault = faultOf(validatorAt, steps, body)
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

/** For an order in which `total` comes before `{account}`. */
function plainly(path: string): string {
  return path.replaceAll(/\{\w+\}/g, '\u{10ffff}')
}

function matcherOf(path: string): RegExp {
  const source = path.replace(/\/$/, '').replaceAll(/\{\w+\}/g, '[^/]+')
  return new RegExp(`^${source}/?$`)
}
