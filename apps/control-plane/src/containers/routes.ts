import { Containers, maxContainerPrefix, maxContainers, RoostError } from '@roost/api-types/rest'
import type { ContainerService } from '@roost/api-types/rpc'
import { z } from 'zod'
import { parsePaging } from '../http/dialect/list-query.js'
import type { Route } from '../http/dialect/route.js'

/** Containers of the account of the storage login. */
export function containerRoutes(
  containers: ContainerService,
  requireCluster: (id: number) => Promise<unknown>,
): readonly Route[] {
  return [
    {
      method: 'GET',
      path: 'clusters/:id/containers/',
      resource: 'clusters',
      status: 200,
      summary:
        'Containers of which the name begins with a text, as Swift lists them for the storage login of a cluster',
      query: {
        q: z.string().max(maxContainerPrefix).describe('The begin of their names; all without it'),
        limit: z.int().min(1).max(maxContainers).default(20).describe(`At most ${maxContainers}`),
      },
      answer: Containers,
      requireRecord: requireCluster,
      refusals: [503],
      handle: ({ id, query }) =>
        containers.list({ cluster: id, q: textIn(query), limit: Math.min(parsePaging(query).limit, maxContainers) }),
    },
  ]
}

function textIn(query: URLSearchParams): string {
  const text = query.getAll('q').at(-1) ?? ''
  if (text.length <= maxContainerPrefix && !text.includes('\0')) return text
  throw new RoostError('invalid', `Invalid q provided. Please provide at most ${maxContainerPrefix} characters.`)
}
