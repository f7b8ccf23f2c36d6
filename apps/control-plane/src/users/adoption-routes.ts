import { AdoptableUser, AdoptionInput, listEnvelope, WrittenUser } from '@roost/api-types/rest'
import type { UserAdoptionService } from '@roost/api-types/rpc'
import { idempotentPost } from '../http/dialect/idempotency.js'
import type { Idempotency } from '../http/dialect/idempotency.js'
import { parsePaging } from '../http/dialect/list-query.js'
import { listMeta } from '../http/dialect/paging.js'
import type { Route } from '../http/dialect/route.js'
import { pagingParameters } from '../http/dialect/schema-document.js'

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
        return { meta: listMeta(`/api/v1/clusters/${id}/adoptable_users/`, rawQuery, page, total), objects }
      },
    },
    idempotentPost(idempotency, {
      ...shared,
      status: 201,
      answer: WrittenUser,
      secretAnswer: true,
      summary: 'Adopt such a user, which keeps its login and its account. The next deployment takes it over',
      body: AdoptionInput,
      secrets: ['password'],
      run: (id, input, caller) => adoption.adopt(id, input, caller),
    }),
  ]
}
