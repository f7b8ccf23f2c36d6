import { z } from 'zod'
import { relationUri } from './dialect/uri.js'

const description = (text: string) => ({ description: text })

/** The clients that would lose a share if it were removed, as its gateway answers now. */
export const ShareSessions = z
  .object({
    share: relationUri('gateway_shares'),
    node: relationUri('nodes'),
    is_in_force: z
      .boolean()
      .meta(
        description(
          'Whether the node has the share in force. Without it, there are no sessions, and the node is not asked',
        ),
      ),
    sessions: z
      .array(
        z.object({
          client: z.string().meta(description('Address of the client')),
          user: z
            .string()
            .nullable()
            .meta(description('User of an SMB session; null where the server does not know it')),
        }),
      )
      .meta(
        description(
          'Each client and user once. NFS servers do not report which client of version 4 uses which share: every such client of the server is listed',
        ),
      ),
  })
  .meta({
    id: 'ShareSessions',
    examples: [
      {
        share: '/api/v1/gateway_shares/12/',
        node: '/api/v1/nodes/7/',
        is_in_force: true,
        sessions: [{ client: '10.0.0.7', user: 'share-12' }],
      },
    ],
  })
export type ShareSessions = z.infer<typeof ShareSessions>
