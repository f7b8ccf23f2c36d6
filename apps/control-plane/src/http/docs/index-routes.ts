import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Resource } from '../dialect/resource.js'

const open = { public: true } as const

const versions = { versions: [{ version: 'v1', uri: '/api/v1/' }] }
const Versions = z
  .object({ versions: z.array(z.object({ version: z.string(), uri: z.string() })) })
  .meta({ examples: [versions] })
const Index = z.record(z.string(), z.object({ list_endpoint: z.string(), schema: z.string() }))

/** `/api` lists the versions, `/api/v1/` the resources. */
export function mountIndex(app: FastifyInstance, resources: readonly Resource[]): void {
  const entries = resources.map(({ name }) => [
    name,
    { list_endpoint: `/api/v1/${name}/`, schema: `/api/v1/${name}/schema/` },
  ])
  const index: unknown = Object.fromEntries(entries)
  app.get(
    '/api',
    { config: open, schema: { tags: ['index'], summary: 'Versions of the API', response: { 200: Versions } } },
    async () => versions,
  )
  const response = { 200: Index.meta({ examples: [index] }) }
  app.get(
    '/api/v1/',
    { config: open, schema: { tags: ['index'], summary: 'The resources', response } },
    async () => index,
  )
}
