import { z } from 'zod'

/** The head of every list answer. `next` and `previous` are a path with its query, never an absolute URL. */
export const ListMeta = z
  .object({
    limit: z.int(),
    offset: z.int(),
    next: z.string().nullable(),
    previous: z.string().nullable(),
    total_count: z.int(),
  })
  .meta({ id: 'ListMeta' })
export type ListMeta = z.infer<typeof ListMeta>

/** The list envelope around records of one resource. */
export function listEnvelope<R extends z.ZodType>(record: R) {
  return z.object({ meta: ListMeta, objects: z.array(record) })
}
