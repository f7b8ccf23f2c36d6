import { z } from 'zod'
import { byId, throughCluster } from './dialect/rules.js'
import type { ResourceRules } from './dialect/rules.js'
import { relationUri, ResourceUri } from './dialect/uri.js'

export const StoragePolicy = z
  .object({
    id: z.int(),
    resource_uri: ResourceUri,
    cluster: relationUri('clusters'),
    index: z.int(),
    name: z.string(),
    is_default: z.boolean(),
    is_deprecated: z.boolean(),
    type: z.string(),
  })
  .meta({
    id: 'StoragePolicy',
    examples: [
      {
        id: 2,
        resource_uri: '/api/v1/storage_policies/2/',
        cluster: '/api/v1/clusters/1/',
        index: 0,
        name: 'gold',
        is_default: true,
        is_deprecated: false,
        type: 'replication',
      },
    ],
  })
export type StoragePolicy = z.infer<typeof StoragePolicy>

export const storagePolicyRules = {
  filters: { ...byId, ...throughCluster, index: 'integer', name: 'text', is_default: 'boolean' },
  ordering: ['id', 'cluster', 'index', 'name'],
  observed: [],
} as const satisfies ResourceRules
