import type { OpenApiDocument } from './openapi-contract.js'

/** The records that relations of examples are replaced by: resource to id. */
export type Related = Readonly<Record<string, number>>

/** Returns the example of the body of an operation, with relations to records that exist; undefined where it has no body. */
export function exampleBody(
  { paths }: OpenApiDocument,
  method: 'post' | 'patch',
  path: string,
  related: Related,
): Readonly<Record<string, unknown>> | undefined {
  const media = Object.values(paths[path]?.[method]?.requestBody?.content ?? {})[0]
  if (media?.example === undefined) return undefined
  const text = JSON.stringify(media.example).replaceAll(/"\/api\/v1\/(\w+)\/\d+\/"/g, (uri, resource: string) =>
    related[resource] === undefined ? uri : `"/api/v1/${resource}/${related[resource]}/"`,
  )
  return JSON.parse(text) as Readonly<Record<string, unknown>>
}
