import { z } from 'zod'
import { relationUri } from './dialect/uri.js'

export const SearchHit = z.object({
  resource: z.enum(['nodes', 'devices', 'gateway_shares', 'users']),
  resource_uri: z.string(),
  name: z.string().meta({ description: 'Hostname of a node, name of a device, a share or a user' }),
  detail: z.string().meta({
    description:
      'What tells it apart: the address of a node, node and serial number of a device, gateway of a share; "" where it has none',
  }),
  cluster: relationUri('clusters'),
  node: relationUri('nodes').nullable().meta({ description: 'Of a device and a share' }),
})
export type SearchHit = z.infer<typeof SearchHit>

/** What has a text in its name. */
export const SearchResult = z
  .object({
    objects: z
      .array(SearchHit)
      .readonly()
      .meta({ description: 'Equal names first, then those that begin with the text' }),
    has_more: z.boolean(),
  })
  .meta({
    id: 'SearchResult',
    examples: [
      {
        objects: [
          {
            resource: 'devices',
            resource_uri: '/api/v1/devices/7/',
            name: 'd3',
            detail: 'storage-2 ZA1B2C3D',
            cluster: '/api/v1/clusters/1/',
            node: '/api/v1/nodes/2/',
          },
        ],
        has_more: false,
      },
    ],
  })
export type SearchResult = z.infer<typeof SearchResult>
