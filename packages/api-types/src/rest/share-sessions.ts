import { z } from 'zod'
import { relationUri } from './dialect/uri.js'
import { NodePlan } from './job.js'

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

/** What a gateway would do if a share were stored and deployed, with all other changes that are not deployed yet. */
export const SharePreview = NodePlan.omit({ error: true }).meta({
  id: 'SharePreview',
  examples: [
    {
      node: '/api/v1/nodes/7/',
      files: [
        {
          path: '/etc/exports.d/roost.exports',
          change: 'change',
          diff: '+/srv/roost/12 10.20.0.0/16(ro,sync,root_squash,fsid=12)\n',
        },
      ],
      daemons: [{ daemon: 'nfs-server', action: 'reload', sessions_lost: [] }],
      mounts: { started: ['docs'], stopped: [] },
      notes: [],
    },
  ],
})
export type SharePreview = z.infer<typeof SharePreview>
