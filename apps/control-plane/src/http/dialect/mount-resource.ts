import { examplesOf, listEnvelope, maxId } from '@roost/api-types/rest'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { etagOf, matchesAny } from '../../services/etag.js'
import { HttpError } from '../guards/http-error.js'
import type { Dialect } from './dialect.js'
import { fieldsOf } from './fields.js'
import { parseListQuery } from './list-query.js'
import { mountActions } from './mount-actions.js'
import { mountChangeMany } from './mount-change-many.js'
import { mountWrites } from './mount-writes.js'
import { listMeta } from './paging.js'
import type { Resource } from './resource.js'
import { mountRoute } from './route.js'
import { filterParameters, ifNoneMatch, listParameters, SchemaDocument, schemaDocument } from './schema-document.js'

/** The longest list of ids of `set/`, in characters. */
const maxSetLength = 4096

/** Mounts every route of a resource. */
export function mountResource(app: FastifyInstance, resource: Resource, dialect: Dialect): void {
  mountList(app, resource, dialect)
  mountFacets(app, resource, dialect)
  mountSchema(app, resource)
  mountSet(app, resource)
  mountDetail(app, resource)
  mountWrites(app, resource, dialect)
  mountChangeMany(app, resource, dialect)
  mountActions(app, resource, dialect)
}

function mountList(app: FastifyInstance, resource: Resource, { origins }: Dialect): void {
  const { name, record, rules, reads } = resource
  const fields = Object.keys(fieldsOf(record, 'output').properties)
  mountRoute(app, {
    method: 'GET',
    path: `${name}/`,
    resource: name,
    summary: `List ${name}: ${resource.description}`,
    query: listParameters(resource),
    status: 200,
    answer: listEnvelope(record),
    async handle({ query, rawQuery, origin, caller }) {
      const list = parseListQuery(query, { rules, fields }, (text) => origins.pathOf(text, origin))
      const { objects, total } = await reads.list(list, caller)
      return { meta: listMeta(`/api/v1/${name}/`, rawQuery, list, total), objects }
    },
  })
}

function mountFacets(app: FastifyInstance, resource: Resource, { origins }: Dialect): void {
  const { name, record, rules, facets } = resource
  if (facets === undefined) return
  const fields = Object.keys(fieldsOf(record, 'output').properties)
  mountRoute(app, {
    method: 'GET',
    path: `${name}/facets/`,
    resource: name,
    summary: `Count ${name} by the values of their fields, each under the filters of the others`,
    query: filterParameters(resource),
    status: 200,
    answer: facets.answer,
    handle: ({ query, origin }) =>
      facets.run(parseListQuery(query, { rules, fields }, (text) => origins.pathOf(text, origin)).filters),
  })
}

function mountDetail(app: FastifyInstance, { name, record, rules, reads }: Resource): void {
  mountRoute(app, {
    method: 'GET',
    path: `${name}/:id/`,
    resource: name,
    summary: `Read a record of ${name}`,
    headers: ifNoneMatch,
    etag: true,
    status: 200,
    answer: record,
    isConditional: true,
    async handle({ id, headers, caller }, reply) {
      const found = await reads.get(id, caller)
      const etag = etagOf(found, rules)
      reply.header('etag', etag)
      return matchesAny(etag, headers['if-none-match']) ? reply.code(304).send() : found
    },
  })
}

function mountSchema(app: FastifyInstance, resource: Resource): void {
  const document = schemaDocument(resource)
  mountRoute(app, {
    method: 'GET',
    path: `${resource.name}/schema/`,
    resource: resource.name,
    summary: `Fields, methods, filters and ordering of ${resource.name}`,
    status: 200,
    answer: SchemaDocument,
    example: document,
    handle: async () => document,
  })
}

function mountSet(app: FastifyInstance, { name, record, reads }: Resource): void {
  mountRoute(app, {
    method: 'GET',
    path: `${name}/set/:ids/`,
    resource: name,
    summary: `Read several records of ${name}, in the order of the ids`,
    params: { ids: 'Ids, separated by semicolons' },
    status: 200,
    answer: z
      .object({ objects: z.array(record), not_found: z.array(z.string()).optional() })
      .meta({ examples: [{ objects: examplesOf(record), not_found: ['99'] }] }),
    refusals: [414],
    async handle({ params, caller }) {
      const text = params['ids'] ?? ''
      const asked = text.split(';').filter((one) => one !== '')
      if (text.length > maxSetLength) throw new HttpError(414, setTooLong(asked.length, text.length))
      const ids = asked.map(Number).filter((id) => Number.isInteger(id) && id >= 1 && id <= maxId)
      const found = new Map((await reads.getMany([...new Set(ids)], caller)).map((one) => [Number(one.id), one]))
      const missing = asked.filter((text) => !found.has(Number(text)))
      const objects = asked.flatMap((text) => found.get(Number(text)) ?? [])
      return { objects, ...(missing.length === 0 ? {} : { not_found: missing }) }
    },
  })
}

function setTooLong(ids: number, length: number): string {
  return `set/ accepts ids of up to ${maxSetLength} characters together. These are ${ids} ids with ${length} characters. Send them in several requests.`
}
