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
  const objects = examplesOf(record)
  const meta = { limit: 20, offset: 0, next: null, previous: null, total_count: objects.length }
  return z.object({ meta: ListMeta, objects: z.array(record) }).meta({ examples: [{ meta, objects }] })
}

/** The examples that a schema brings for the documentation. */
export function examplesOf(schema: z.ZodType): readonly unknown[] {
  const { examples } = schema.meta() ?? {}
  return Array.isArray(examples) ? (examples as readonly unknown[]) : []
}
