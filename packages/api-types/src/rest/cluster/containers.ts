import { z } from 'zod'
import { relationUri } from '../dialect/uri.js'

/** A storage name has at most 256 bytes. */
export const maxContainerPrefix = 256
export const maxContainers = 100

const Container = z.object({
  name: z.string(),
  object_count: z.number().min(0),
  bytes_used: z.number().min(0).describe('Bytes of its objects, without replicas'),
})

/** Containers that the storage login of a cluster sees, as its Swift has listed them in the last 15 s. */
export const Containers = z
  .object({
    cluster: relationUri('clusters'),
    containers: z.array(Container).describe('By name'),
    is_complete: z.boolean().describe('False: there are more containers of which the name begins like this'),
  })
  .meta({
    id: 'Containers',
    examples: [
      {
        cluster: '/api/v1/clusters/1/',
        containers: [{ name: 'documents', object_count: 1200, bytes_used: 5_368_709_120 }],
        is_complete: true,
      },
    ],
  })
export type Containers = z.infer<typeof Containers>
