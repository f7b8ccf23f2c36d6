/** The search of an address as texts: each screen reads what it knows, and lists are joined by commas. */
export type RawSearch = Readonly<Record<string, unknown>>

/** Returns the fields that a screen knows, without those that are empty. */
export function pick<N extends string>(search: RawSearch, ...names: readonly N[]): { readonly [K in N]?: string } {
  const found = names.flatMap((name) => {
    const value = search[name]
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : []
  })
  return Object.fromEntries(found) as { readonly [K in N]?: string }
}

export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text))
}

/** Keeps commas and colons as they are: addresses are read by people, too. */
export function stringifySearch(search: RawSearch): string {
  const fields = Object.entries(search).flatMap(([name, value]) =>
    typeof value === 'string' && value !== ''
      ? [`${name}=${encodeURIComponent(value).replaceAll(/%(?:2C|3A|2F|2A)/gi, decodeURIComponent)}`]
      : [],
  )
  return fields.length === 0 ? '' : `?${fields.join('&')}`
}
