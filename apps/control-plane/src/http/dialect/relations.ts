import type { Fields } from './fields.js'

/** Returns the path of an absolute URL of this server, and any other text unchanged. */
export type LocalPath = (text: string) => string

/** A body whose relations are paths where they were absolute URLs of this server. */
export function localise(
  body: Readonly<Record<string, unknown>>,
  { properties }: Fields,
  localPath: LocalPath,
): Readonly<Record<string, unknown>> {
  const local = Object.entries(body).map(([name, value]) => {
    const related = Object.hasOwn(properties, name) && properties[name]?.relation !== undefined
    return [name, related && typeof value === 'string' ? localPath(value) : value]
  })
  return Object.fromEntries(local) as Readonly<Record<string, unknown>>
}
