/** A pattern whose only special character is `*`. */
export interface Pattern {
  /** What every match begins with. */
  readonly prefix: string
  /** What every match ends with, apart from the prefix. */
  readonly suffix: string
  /** What lies between, in this order. */
  readonly middle: readonly string[]
}

export function compilePattern(text: string): Pattern {
  const parts = text.split('*')
  const prefix = parts[0] ?? ''
  const suffix = parts.length > 1 ? (parts.at(-1) as string) : ''
  return { prefix, suffix, middle: parts.slice(1, -1).filter((part) => part !== '') }
}

/**
 * Whether `name`, which is known to begin with the pattern's prefix, matches. Each part is looked for from where the
 * last one ended and never again, so that the time grows with the length of the name and not with the stars.
 */
export function matchesAfterPrefix(pattern: Pattern, name: string): boolean {
  const { suffix, middle } = pattern
  const end = name.length - suffix.length
  let at = pattern.prefix.length
  if (end < at || !name.endsWith(suffix)) return false
  for (let i = 0; i < middle.length; i++) {
    const part = middle[i] as string
    at = name.indexOf(part, at)
    if (at === -1) return false
    at += part.length
  }
  return at <= end
}
