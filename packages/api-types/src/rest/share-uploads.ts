import { z } from 'zod'
import { boundedText } from '../values/text.js'
import { relationUri } from './dialect/uri.js'

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
    leftover_files: z
      .int()
      .meta(description('Objects in Swift under names that files had before they were renamed during their upload')),
    oldest: z
      .array(
        z.object({
          path: z.string().meta(description('In the container')),
          bytes: z.int(),
          changed: z.string().meta(description('ISO 8601, UTC')),
        }),
      )
      .meta(description('The twenty files that wait longest, the oldest first')),
    leftovers: z
      .array(
        z.object({
          name: z.string().meta(description('Of the object, in the container')),
          size_bytes: z.int(),
          renamed_to: z.string().meta(description('The object with the same content')),
          since: z.string().meta(description('When it was renamed: ISO 8601, UTC')),
        }),
      )
      .meta(description('The twenty oldest leftovers. They are removed only by a POST')),
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
        leftover_files: 1,
        oldest: [{ path: 'drafts/report.docx', bytes: 3_145_728, changed: '2026-11-22T08:00:00.000Z' }],
        leftovers: [
          {
            name: 'drafts/report.docx.part',
            size_bytes: 8_388_608,
            renamed_to: 'drafts/report-1.docx',
            since: '2026-11-22T07:59:00.000Z',
          },
        ],
      },
    ],
  })
export type ShareUploads = z.infer<typeof ShareUploads>

/** Which leftovers to remove. */
export const LeftoverRemoval = z
  .object({
    remove_leftovers: z
      .union([z.literal(true), z.array(boundedText(1024).min(1)).min(1).max(200)])
      .meta(description('Names of leftovers; true for the 200 oldest')),
  })
  .meta({ id: 'LeftoverRemoval', examples: [{ remove_leftovers: ['drafts/report.docx.part'] }] })
export type LeftoverRemoval = z.infer<typeof LeftoverRemoval>

/** What became of them. */
export const RemovedLeftovers = z
  .object({
    share: relationUri('gateway_shares'),
    node: relationUri('nodes'),
    removed: z.array(z.string()).meta(description('Names of the objects that were removed from Swift')),
    kept: z
      .array(z.object({ name: z.string(), reason: z.string() }))
      .meta(description('Objects that are no leftovers, or are none any longer, and why')),
  })
  .meta({
    id: 'RemovedLeftovers',
    examples: [
      {
        share: '/api/v1/gateway_shares/12/',
        node: '/api/v1/nodes/7/',
        removed: ['drafts/report.docx.part'],
        kept: [{ name: 'drafts/old.part', reason: 'It is no leftover.' }],
      },
    ],
  })
export type RemovedLeftovers = z.infer<typeof RemovedLeftovers>
