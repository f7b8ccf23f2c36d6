/** A pattern whose only special character is `*`. */
export interface Pattern {
  /** What every match begins with. */
  readonly prefix: string
  /** What every match ends with, apart from the prefix. */
  readonly suffix: string
  /** What lies between, in this order. */
  readonly middle: readonly string[]
  /** The longest of these: most names lack it, which one look tells. */
  readonly longest: string
  /** The letters that a match must have, as `lettersOf` gives them. */
  readonly letters: number
}

export function compilePattern(text: string): Pattern {
  const parts = text.split('*')
  const prefix = parts[0] ?? ''
  const suffix = parts.length > 1 ? (parts.at(-1) as string) : ''
  const middle = parts.slice(1, -1).filter((part) => part !== '')
  const longest = middle.reduce((best, part) => (part.length > best.length ? part : best), '')
  return { prefix, suffix, middle, longest, letters: lettersOf(text.replaceAll('*', '')) }
}

/** Which letters occur, a bit for each; some share one. */
export function lettersOf(text: string): number {
  let letters = 0
  for (let i = 0; i < text.length; i++) letters |= 1 << (text.charCodeAt(i) & 31)
  return letters
}

/**
 * Whether `name`, which is known to begin with the pattern's prefix, matches. Each part is looked for from where the
 * last one ended and never again, so that the time grows with the length of the name and not with the stars.
 */
export function matchesAfterPrefix({ prefix, suffix, middle, longest }: Pattern, name: string): boolean {
  const end = name.length - suffix.length
  let at = prefix.length
  if (end < at || !endsWith(name, suffix, end)) return false
  if (middle.length > 1 && !name.includes(longest, at)) return false
  for (let i = 0; i < middle.length; i++) {
    const part = middle[i] as string
    at = name.indexOf(part, at)
    if (at === -1) return false
    at += part.length
  }
  return at <= end
}

/** The last character alone decides nearly always, and is cheaper to look at than the whole end. */
function endsWith(name: string, suffix: string, end: number): boolean {
  if (suffix.length === 0) return true
  return name.charCodeAt(name.length - 1) === suffix.charCodeAt(suffix.length - 1) && name.startsWith(suffix, end)
}
