import { z } from 'zod'
import { relationUri } from './uri.js'

const count = z.int().nullable()
const description = (text: string) => ({ description: text })

/** What clients have written to a share and is not in Swift, as its gateway saw it within the last seconds. */
export const ShareUploads = z
  .object({
    share: relationUri('gateway_shares'),
    node: relationUri('nodes'),
    dirty_files: z.int().meta(description('Files in the cache that are not in Swift')),
    dirty_bytes: z.int(),
    oldest_dirty_seconds: z
      .number()
      .meta(description('Since the last change of the file that waits longest; 0 without one')),
    cache_bytes: count.meta(
      description('All that the cache holds; null, as the next three, while the mount does not answer'),
    ),
    uploads_queued: count.meta(description('Files that wait for their upload or are being uploaded')),
    upload_errors: count.meta(description('Files that could not be cached or uploaded')),
    out_of_space: z.boolean().nullable().meta(description('The disk of the cache is full')),
    oldest: z
      .array(
        z.object({
          path: z.string().meta(description('In the container')),
          bytes: z.int(),
          changed: z.string().meta(description('ISO 8601, UTC')),
        }),
      )
      .meta(description('The twenty files that wait longest, the oldest first')),
  })
  .meta({
    id: 'ShareUploads',
    examples: [
      {
        share: '/api/v1/gateway_shares/12/',
        node: '/api/v1/nodes/7/',
        dirty_files: 1,
        dirty_bytes: 3_145_728,
        oldest_dirty_seconds: 2.5,
        cache_bytes: 734_003_200,
        uploads_queued: 1,
        upload_errors: 0,
        out_of_space: false,
        oldest: [{ path: 'drafts/report.docx', bytes: 3_145_728, changed: '2026-11-22T08:00:00.000Z' }],
      },
    ],
  })
export type ShareUploads = z.infer<typeof ShareUploads>
