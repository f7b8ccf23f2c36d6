import type { FastifyInstance } from 'fastify'
import { objectBody } from './body.js'
import { parseFields } from './field-errors.js'
import { fieldsOf } from './fields.js'
import type { Dialect } from './mount-resource.js'
import { localise } from './relations.js'
import type { Action, Resource } from './resource.js'
import { mountRoute } from './route.js'

/** The paths of a resource's own below a record. */
export function mountActions(app: FastifyInstance, resource: Resource, dialect: Dialect): void {
  for (const action of resource.actions ?? []) mountAction(app, resource, action, dialect)
}

function mountAction(app: FastifyInstance, { name, reads }: Resource, action: Action, { origins }: Dialect): void {
  const { method, path, summary, body: schema, status, answer } = action
  const fields = schema === undefined ? undefined : fieldsOf(schema, 'input')
  mountRoute(app, {
    method,
    path: `${name}/:id/${path}/`,
    resource: name,
    summary,
    ...(schema === undefined ? {} : { body: schema }),
    status,
    answer,
    lookUp: (id) => reads.get(id),
    async handle({ id, body, caller }) {
      if (schema === undefined || fields === undefined) return action.run(id, undefined, caller)
      return action.run(id, parseFields(schema, localise(objectBody(body), fields, origins())), caller)
    },
  })
}
