import { z } from 'zod'
import { throughCluster } from './rules.js'
import type { ResourceRules } from './rules.js'
import { relationUri, ResourceUri } from './uri.js'

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
  .meta({ id: 'StoragePolicy' })
export type StoragePolicy = z.infer<typeof StoragePolicy>

export const storagePolicyRules = {
  filters: { id: 'integer', ...throughCluster, index: 'integer', name: 'text', is_default: 'boolean' },
  ordering: ['id', 'cluster', 'index', 'name'],
  observed: [],
} as const satisfies ResourceRules
