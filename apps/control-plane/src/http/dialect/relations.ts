import type { Fields } from './fields.js'

/** An absolute URL of this server as its path; everything else as it stands. */
export function localPath(text: string, origins: readonly string[]): string {
  const origin = origins.find((one) => text.startsWith(`${one}/`))
  return origin === undefined ? text : text.slice(origin.length)
}

/** A body whose relations are paths where they were absolute URLs of this server. */
export function localise(
  body: Readonly<Record<string, unknown>>,
  { properties }: Fields,
  origins: readonly string[],
): Readonly<Record<string, unknown>> {
  const local = Object.entries(body).map(([name, value]) => {
    const related = Object.hasOwn(properties, name) && properties[name]?.relation !== undefined
    return [name, related && typeof value === 'string' ? localPath(value, origins) : value]
  })
  return Object.fromEntries(local) as Readonly<Record<string, unknown>>
}
