import { byNames } from '@roost/api-types/browser'
import { queryOptions } from '@tanstack/react-query'
import { rpc } from '../client.js'
import { idIn } from '../uri.js'
import type { ListSource } from '../use-pages.js'
import type { inferOutput } from './output.js'
import type { Filters } from './filters.js'

export type UserRecord = inferOutput<typeof rpc.users.get.query>

export const userList = (filters: Filters, order: string): ListSource<UserRecord> => ({
  name: 'users',
  key: ['users', filters, order],
  read: (slice, signal) => rpc.users.list.query(byNames({ filters, order_by: [order], ...slice }), { signal }),
})

/** With the ETag that a change of it sends. */
export const user = (id: number) =>
  queryOptions({
    queryKey: ['users', 'one', id],
    queryFn: ({ signal }) => rpc.users.getWithEtag.query({ id }, { signal }),
  })

export type AdoptableRecord = inferOutput<typeof rpc.users.adoptable.query>['objects'][number]

/** Users of the cluster that Roost did not create: its proxies, or its Keystone, are asked for them. */
export const adoptable = (cluster: number) =>
  queryOptions({
    queryKey: ['users', 'adoptable', cluster],
    queryFn: ({ signal }) => rpc.users.adoptable.query({ id: cluster }, { signal }),
  })

/** The access keys of a user, and whether they are in Keystone, which is asked for them. In tempauth there is one: the login. */
export const s3Keys = ({ id, cluster }: UserRecord) =>
  queryOptions({
    queryKey: ['s3Keys', id],
    queryFn: async ({ signal }) => {
      const [identity, { access_keys: accessKeys }] = await Promise.all([
        rpc.clusters.identity.query({ id: idIn(cluster) }, { signal }),
        rpc.users.s3Credentials.query({ id: Number(id) }, { signal }),
      ])
      return { isKeystone: identity !== null, accessKeys }
    },
  })
