import { z } from 'zod'
import { byId, throughCluster } from './dialect/rules.js'
import type { ResourceRules } from './dialect/rules.js'
import { relationUri, ResourceUri } from './dialect/uri.js'

export const ErasureCode = z.object({
  type: z.string().meta({ description: 'Library, such as `liberasurecode_rs_vand`' }),
  data_fragments: z.int(),
  parity_fragments: z.int(),
  duplication_factor: z.int(),
  segment_bytes: z.int(),
})
export type ErasureCode = z.infer<typeof ErasureCode>

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
    replicas: z.number().nullable().meta({
      description: 'Replicas of its ring, or fragments of an erasure code; null until a node reports its ring',
    }),
    ec: ErasureCode.nullable().meta({ description: 'Null for replication, and until a node reports it' }),
    raw_bytes: z.int().meta({ description: 'Of its devices. Devices of several policies count for each of them' }),
    usable_bytes: z.int().nullable().meta({
      description: 'Raw bytes divided by the replicas, or times k/(k+m) of an erasure code; null while unknown',
    }),
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
        replicas: 3,
        ec: null,
        raw_bytes: 54_000_000_000_000,
        usable_bytes: 18_000_000_000_000,
      },
    ],
  })
export type StoragePolicy = z.infer<typeof StoragePolicy>

export const storagePolicyRules = {
  filters: { ...byId, ...throughCluster, index: 'integer', name: 'text', is_default: 'boolean' },
  ordering: ['id', 'cluster', 'index', 'name'],
  observed: ['raw_bytes', 'usable_bytes'],
} as const satisfies ResourceRules
