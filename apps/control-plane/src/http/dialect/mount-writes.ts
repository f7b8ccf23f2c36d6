import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { etagOf } from '../../services/etag.js'
import { objectBody } from '../guards/body.js'
import { parseChange } from './change-body.js'
import { parseFields } from '../../services/field-errors.js'
import { fieldsOf } from './fields.js'
import type { Dialect } from './dialect.js'
import { localise } from './relations.js'
import type { LocalPath } from './relations.js'
import type { Resource } from './resource.js'
import { idempotencyKey, ifMatch } from './schema-document.js'
import { mountRoute } from './route.js'

/** `POST` on the list, `PATCH` and `DELETE` on a record, as far as the resource declares them. */
export function mountWrites(app: FastifyInstance, resource: Resource, dialect: Dialect): void {
  mountCreate(app, resource, dialect)
  for (const name of [resource.name, ...(resource.changeAliases ?? [])]) mountChange(app, resource, name, dialect)
  mountRemove(app, resource)
}

function mountCreate(app: FastifyInstance, { name, record, create }: Resource, dialect: Dialect): void {
  if (create === undefined) return
  const { origins, idempotency } = dialect
  const fields = fieldsOf(create.body, 'input')
  mountRoute(app, {
    method: 'POST',
    path: `${name}/`,
    resource: name,
    summary: `Create a record of ${name}`,
    headers: idempotencyKey,
    body: create.body,
    status: 201,
    answer: create.answer ?? record,
    secretAnswer: create.secrets !== undefined && create.secrets.length > 0,
    async handle({ body, caller, headers, origin }, reply) {
      const local = localise(objectBody(body), fields, (text) => origins.pathOf(text, origin))
      const path = `/api/v1/${name}/`
      const request = { caller, path, key: headers['idempotency-key'], body: local, secrets: create.secrets ?? [] }
      const made = await idempotency.once(request, (caller) => create.run(parseFields(create.body, local), caller))
      if (caller.validateOnly !== true) reply.header('location', origins.urlOf(made.resource_uri, origin))
      return made
    },
  })
}

function mountChange(app: FastifyInstance, resource: Resource, path: string, { origins }: Dialect): void {
  const { name, record, rules, reads, change } = resource
  if (change === undefined) return
  const input = fieldsOf(change.body, 'input')
  const reader = { schema: change.body, record: fieldsOf(record, 'output'), input, rules }
  mountRoute(app, {
    method: 'PATCH',
    path: `${path}/:id/`,
    resource: name,
    summary: `Change fields of a record of ${name}; fields that are not sent keep their values`,
    headers: ifMatch,
    etag: true,
    body: change.body,
    status: 202,
    answer: change.answer ?? record,
    secretAnswer: change.secrets !== undefined && change.secrets.length > 0,
    requireRecord: (id, caller) => reads.get(id, caller),
    async handle({ id, body, headers, caller, origin }, reply) {
      const localPath: LocalPath = (text) => origins.pathOf(text, origin)
      const sent = localise(objectBody(body), reader.record, localPath)
      const wanted = await parseChange(reader, localise(sent, input, localPath), () => reads.get(id, caller))
      const changed = await change.run(id, wanted, caller, ifMatchOf(headers))
      reply.header('etag', etagOf(changed, { observed: [...rules.observed, ...(change.secrets ?? [])] }))
      return changed
    },
  })
}

function mountRemove(app: FastifyInstance, { name, reads, remove }: Resource): void {
  if (remove === undefined) return
  mountRoute(app, {
    method: 'DELETE',
    path: `${name}/:id/`,
    resource: name,
    summary: `Remove a record of ${name}`,
    headers: ifMatch,
    status: 204,
    answer: z.null(),
    requireRecord: (id, caller) => reads.get(id, caller),
    async handle({ id, headers, caller }) {
      await remove(id, caller, ifMatchOf(headers))
      return null
    },
  })
}

function ifMatchOf(headers: { readonly 'if-match'?: string | undefined }): { readonly ifMatch?: string } {
  const ifMatch = headers['if-match']
  return ifMatch === undefined ? {} : { ifMatch }
}
