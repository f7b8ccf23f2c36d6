import { AdoptableUser, AdoptionInput, listEnvelope, WrittenUser } from '@roost/api-types/rest'
import type { UserAdoptionService } from '@roost/api-types/rpc'
import type { Idempotency } from '../http/dialect/idempotency.js'
import { parsePaging } from '../http/dialect/list-query.js'
import { listMeta } from '../http/dialect/paging.js'
import type { Route } from '../http/dialect/route.js'
import { idempotencyKey, pagingParameters } from '../http/dialect/schema-document.js'
import { objectBody } from '../http/guards/body.js'
import { parseFields } from '../services/field-errors.js'

/** The users of a cluster that others made. */
export function userAdoptionRoutes(
  adoption: UserAdoptionService,
  requireCluster: (id: number) => Promise<unknown>,
  idempotency: Idempotency,
): readonly Route[] {
  const shared = { path: 'clusters/:id/adoptable_users/', resource: 'users', requireRecord: requireCluster } as const
  return [
    {
      ...shared,
      method: 'GET',
      status: 200,
      query: pagingParameters,
      answer: listEnvelope(AdoptableUser),
      summary: "Users in the cluster's tempauth or Keystone that Roost did not create, without keys",
      async handle({ id, query, rawQuery }) {
        const page = parsePaging(query)
        const { total, objects } = await adoption.list(id, page)
        return { meta: listMeta(pathOf(id), rawQuery, page, total), objects }
      },
    },
    {
      ...shared,
      method: 'POST',
      status: 201,
      answer: WrittenUser,
      secretAnswer: true,
      summary: 'Adopt such a user, which keeps its login and its account. The next deployment takes it over',
      headers: idempotencyKey,
      body: AdoptionInput,
      handle({ id, body, caller, headers }) {
        const request = { caller, path: pathOf(id), key: headers['idempotency-key'], body: objectBody(body) }
        return idempotency.once({ ...request, secrets: ['password'] }, (once) =>
          adoption.adopt(id, parseFields(AdoptionInput, body), once),
        )
      },
    },
  ]
}

function pathOf(clusterId: number): string {
  return `/api/v1/clusters/${clusterId}/adoptable_users/`
}
