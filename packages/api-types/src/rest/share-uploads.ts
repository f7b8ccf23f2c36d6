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
      .meta(
        description(
          'Seconds since the last change of the file that has waited longest for its upload; 0 if no file waits',
        ),
      ),
    cache_bytes: count.meta(
      description(
        'Bytes of all files in the cache. This field and the next three are null while the mount does not answer',
      ),
    ),
    uploads_queued: count.meta(description('Files that are queued for upload or being uploaded')),
    upload_errors: count.meta(description('Files that could not be cached or uploaded')),
    out_of_space: z.boolean().nullable().meta(description('Whether the disk of the cache is full')),
    leftover_files: z
      .int()
      .meta(
        description('Objects that renames left behind in Swift, because the files were renamed during their upload'),
      ),
    oldest: z
      .array(
        z.object({
          path: z.string().meta(description('Path of the file in the container')),
          bytes: z.int(),
          changed: z.string().meta(description('ISO 8601, UTC')),
        }),
      )
      .meta(description('The twenty files that have waited longest, the oldest first')),
    leftovers: z
      .array(
        z.object({
          name: z.string().meta(description('Name of the object in the container')),
          size_bytes: z.int(),
          renamed_to: z.string().meta(description('Name of the object that has the content now')),
          since: z.string().meta(description('When the file was renamed: ISO 8601, UTC')),
        }),
      )
      .meta(description('The twenty oldest objects that renames left behind. Only a POST removes them')),
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
      .meta(description('Names of objects that renames left behind, or true for the 200 oldest')),
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
      .meta(description('Objects that were not removed, each with the reason')),
  })
  .meta({
    id: 'RemovedLeftovers',
    examples: [
      {
        share: '/api/v1/gateway_shares/12/',
        node: '/api/v1/nodes/7/',
        removed: ['drafts/report.docx.part'],
        kept: [{ name: 'drafts/old.part', reason: 'No rename left this object behind.' }],
      },
    ],
  })
export type RemovedLeftovers = z.infer<typeof RemovedLeftovers>
