/**
 * Compares two versions of packages as dpkg does: digits by their number, `~` before the end, letters before other
 * characters. `-` counts as `~`: programs write 1.0.0-rc1 for what packages call 1.0.0~rc1. Returns a negative number if
 * `one` is older, 0 if they are equal.
 */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [partsOf(one), partsOf(other)]
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const [text, number] = left[i] ?? noPart
    const [otherText, otherNumber] = right[i] ?? noPart
    const difference = compareTexts(text, otherText) || number - otherNumber
    if (difference !== 0) return difference
  }
  return 0
}

/** Returns a version without what precedes its release: 1.0.0 for 1.0.0-dev.20260102. */
export function releaseOf(version: string): string {
  return version.split(/[-~]/, 1)[0] ?? ''
}

type Part = readonly [text: string, number: number]
const noPart: Part = ['', 0]

/** Splits a version into texts, each with the number after it. */
function partsOf(version: string): readonly Part[] {
  return [...version.matchAll(/(\D*)(\d*)/g)].map(([, text = '', digits]) => [text, Number(digits)])
}

function compareTexts(one: string, other: string): number {
  for (let i = 0; i < Math.max(one.length, other.length); i += 1) {
    const difference = rank(one[i]) - rank(other[i])
    if (difference !== 0) return difference
  }
  return 0
}

function rank(character: string | undefined): number {
  if (character === undefined) return 0
  if (character === '~' || character === '-') return -1
  const code = character.codePointAt(0) ?? 0
  return /[A-Za-z]/.test(character) ? code : code + 0x1_00_00_00
}
