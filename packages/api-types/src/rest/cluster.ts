import { z } from 'zod'
import { byId } from './dialect/rules.js'
import type { ResourceRules } from './dialect/rules.js'
import { ResourceUri } from './dialect/uri.js'

export const Cluster = z.object({ id: z.int(), name: z.string(), resource_uri: ResourceUri, uuid: z.uuid() }).meta({
  id: 'Cluster',
  examples: [
    {
      id: 1,
      name: 'default',
      resource_uri: '/api/v1/clusters/1/',
      uuid: '3f0e4c9a-6f0b-4d7e-9a55-0c6a3f1b2d10',
    },
  ],
})
export type Cluster = z.infer<typeof Cluster>

export const clusterRules = {
  filters: { ...byId, name: 'text', uuid: 'uuid' },
  ordering: ['id', 'name', 'uuid'],
  observed: [],
} as const satisfies ResourceRules

/** Clusters are made by tRPC and the command line alone; REST only reads them. */
export const ClusterInput = z.object({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._ -]{0,63}$/, 'Use 1 to 64 letters, digits, dots, dashes, underscores or blanks.'),
})
export type ClusterInput = z.infer<typeof ClusterInput>
