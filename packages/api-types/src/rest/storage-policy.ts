import { z } from 'zod'
import { ResourceUri } from './uri.js'

export const StoragePolicy = z
  .object({
    id: z.int(),
    resource_uri: ResourceUri,
    cluster: ResourceUri,
    index: z.int(),
    name: z.string(),
    is_default: z.boolean(),
    is_deprecated: z.boolean(),
    type: z.string(),
  })
  .meta({ id: 'StoragePolicy' })
export type StoragePolicy = z.infer<typeof StoragePolicy>
