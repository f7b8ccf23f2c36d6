import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { sessionCookie } from '../guards/session-cookie.js'
import { operationId } from '../dialect/route.js'
import { mountAlertPages } from './alert-pages.js'
import { describeAnswers } from './openapi-answers.js'
import type { Notes } from './openapi-answers.js'

export interface OpenApiOptions {
  readonly version: string
  /** Path prefixes of what is no REST and has a description of its own. */
  readonly hidden: readonly string[]
}

const description = `The HTTP API of Roost. Every path answers with and without its trailing slash. Lists take
\`limit\`, \`offset\`, \`order_by\` and the filters of the resource, each also as \`<filter>__in=a,b\`. Errors are
\`{"error": "sentence"}\`; those of fields are \`{"<resource>": {"<field>": ["sentence"]}}\`.`

/** Collects every route that is registered after this call, for `/openapi.json` and the page at `/docs`. */
export async function describeRoutes(app: FastifyInstance, { version, hidden }: OpenApiOptions): Promise<void> {
  // Kept aside: swagger takes whatever looks like a schema for one, and an example may well tell of types.
  const notes = new Map<unknown, Notes>()
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      servers: [{ url: '/', description: 'The server of this document' }],
      info: { title: 'Roost', version, description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
      components: {
        securitySchemes: {
          apikey: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            // Pages show it as Markdown, which takes <user> for a tag.
            description:
              'Enter `apikey USER:KEY`. The file `admin.apikey` in the data directory contains the first `USER:KEY`.',
          },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: sessionCookie,
            description: 'The session of the web console, from `POST /session`. Only pages of this server can use it.',
          },
        },
      },
      security: [{ apikey: [] }, { session: [] }],
    },
    transform: (route) => {
      const isHidden = hidden.some((prefix) => route.url.startsWith(prefix))
      const { public: isPublic, optionalCaller, csv = false, example, etag = false } = route.route.config ?? {}
      const id = route.schema?.operationId ?? idOf(route.route)
      notes.set(id, { example, etag })
      const schema = {
        ...route.schema,
        operationId: id,
        ...(isHidden ? { hide: true } : {}),
        ...(isPublic === true || optionalCaller === true ? { security: [] } : {}),
      }
      const described = jsonSchemaTransform({ ...route, schema })
      return csv ? { ...described, schema: withCsv(described.schema) } : described
    },
    transformObject: (document) => withoutUnused(describeAnswers(jsonSchemaTransformObject(document) as object, notes)),
  })
}

/** `/openapi.json`, the pages of the alerts, and `/docs`, whose page needs nothing from the internet. */
export async function mountDocs(app: FastifyInstance): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, public: true }
    })
    scope.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
    await mountAlertPages(scope)
    await scope.register(swaggerUi, {
      routePrefix: '/docs',
      uiConfig: { deepLinking: true, docExpansion: 'none', layout: 'BaseLayout' },
      theme: { title: 'The API of Roost' },
    })
  })
}

/** Returns the operation id of a route outside of the resources. */
function idOf({ method, url }: RouteOptions): string {
  const [first = 'GET'] = [method].flat()
  return operationId(first, url === '/' ? 'landing' : url)
}

/** A successful answer also as CSV. */
function withCsv(schema: FastifySchema): FastifySchema {
  const { 200: json, ...others } = schema.response as Readonly<Record<string, object>>
  const content = {
    'application/json': { schema: json },
    'text/csv': {
      schema: { type: 'string', description: 'With format=csv: the same rows as CSV, after a header line' },
    },
  }
  return { ...schema, response: { ...others, 200: { description: 'The rows', content } } }
}

type Components = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** Each schema comes twice, as input and as output: what nothing refers to is left out. */
function withoutUnused(document: object): object {
  const { components = {} } = document as { readonly components?: Components }
  const { schemas = {} } = components
  let kept = schemas
  for (;;) {
    const text = JSON.stringify({ ...document, components: { ...components, schemas: kept } })
    const used = Object.entries(kept).filter(([name]) => text.includes(`"#/components/schemas/${name}"`))
    if (used.length === Object.keys(kept).length) break
    kept = Object.fromEntries(used)
  }
  return { ...document, components: { ...components, schemas: kept } }
}
