import { z } from 'zod'

/** Where a schema says which resource it points at. */
export const relationKey = 'x-relation'

/** Marks a text of a record that is normally empty. */
export const blankKey = 'x-blank'

/** The largest id that a column of 32 bits holds; above it nothing can be found. */
export const maxId = 2_147_483_647

/** The resource URI of a record, such as `/api/v1/nodes/3/`. */
export function resourceUri(resource: string, id: number | string): string {
  return `/api/v1/${resource}/${id}/`
}

/** The id in a resource URI of that resource, with or without its trailing slash; undefined for anything else. */
export function idOfUri(resource: string, uri: string): number | undefined {
  const prefix = `/api/v1/${resource}/`
  if (!uri.startsWith(prefix)) return undefined
  const text = uri.slice(prefix.length).replace(/\/$/, '')
  if (!/^\d{1,10}$/.test(text)) return undefined
  const id = Number(text)
  return id >= 1 && id <= maxId ? id : undefined
}

export const ResourceUri = z.string().meta({ description: 'Resource URI', example: '/api/v1/clusters/1/' })

/** A record's field that names a record of another resource by its URI. */
export function relationUri(resource: string) {
  return z.string().meta({ description: 'Resource URI', example: resourceUri(resource, 1), [relationKey]: resource })
}

/**
 * A relation in a body: a resource URI, or an id. Parses to the id; `localize` in `http/` has made paths of absolute URLs
 * of this server before. Whether the record exists is checked in the transaction of the write.
 */
export function relationTo(resource: string) {
  const sentence = `Enter a resource URI such as ${resourceUri(resource, 1)}, or an id.`
  const Relation = z.union([z.string().min(1), z.int()], {
    error: ({ input }) => (input === undefined ? 'This field is required.' : sentence),
  })
  // A check that replaces the value, because zod documents no examples of what holds a transformation.
  const Resolved = Relation.check((payload) => {
    const id = idOfRelation(resource, payload.value)
    if (id === undefined) payload.issues.push({ code: 'custom', message: sentence, input: payload.value })
    else payload.value = id
  }) as unknown as z.ZodType<number, string | number>
  return Resolved.meta({
    description: 'Resource URI, or an id',
    example: resourceUri(resource, 1),
    [relationKey]: resource,
  })
}

/** The id that a relation names; undefined when it is no URI of that resource. */
export function idOfRelation(resource: string, relation: unknown): number | undefined {
  if (typeof relation === 'string') return idOfUri(resource, relation)
  const id = Number.isInteger(relation) ? Number(relation) : 0
  return id >= 1 && id <= maxId ? id : undefined
}
