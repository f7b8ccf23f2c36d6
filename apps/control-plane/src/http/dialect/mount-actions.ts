import type { Caller } from '@roost/api-types/rpc'
import type { FastifyInstance } from 'fastify'
import { objectBody } from '../guards/body.js'
import { parseFields } from '../../services/field-errors.js'
import { fieldsOf } from './fields.js'
import type { Dialect } from './dialect.js'
import { localise } from './relations.js'
import type { LocalPath } from './relations.js'
import { idempotencyKey } from './schema-document.js'
import type { Action, Resource } from './resource.js'
import { mountRoute } from './route.js'

/** The paths of a resource's own below a record. */
export function mountActions(app: FastifyInstance, resource: Resource, dialect: Dialect): void {
  for (const action of resource.actions ?? []) mountAction(app, resource, action, dialect)
}

function mountAction(app: FastifyInstance, { name, reads }: Resource, action: Action, dialect: Dialect): void {
  const { method, path, summary, body: schema, status, answer } = action
  mountRoute(app, {
    method,
    path: `${name}/:id/${path}/`,
    resource: name,
    summary,
    ...(method === 'POST' ? { headers: idempotencyKey } : {}),
    ...(schema === undefined ? {} : { body: schema }),
    status,
    answer,
    requireRecord: (id, caller) => reads.get(id, caller),
    async handle({ id, body, caller, headers, origin }) {
      const localPath: LocalPath = (text) => dialect.origins.pathOf(text, origin)
      const sent = schema === undefined ? {} : localise(objectBody(body), fieldsOf(schema, 'input'), localPath)
      const run = (caller: Caller) =>
        action.run(id, schema === undefined ? undefined : parseFields(schema, sent), caller)
      if (method !== 'POST') return run(caller)
      const path = `/api/v1/${name}/${id}/${action.path}/`
      const key = headers['idempotency-key']
      return dialect.idempotency.once({ caller, path, key, body: sent, secrets: [] }, run)
    },
  })
}
