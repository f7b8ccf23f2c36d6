/** Objects and arrays inside each other, in what a peer sends: all messages and records of ours have less. */
export const maxJsonDepth = 32

const quote = 0x22
const backslash = 0x5c
const openers = new Set([0x5b, 0x7b])
const closers = new Set([0x5d, 0x7d])

/**
 * Whether a JSON text is nested deeper than `maxJsonDepth`. Asked before JSON.parse, which accepts 500,000 levels: whatever
 * walks over such a value by recursion throws a RangeError. What is no JSON gets any answer, for JSON.parse to refuse.
 */
export function isTooDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (openers.has(code)) depth += 1
    else if (closers.has(code)) depth -= 1
    if (depth > maxJsonDepth) return true
  }
  return false
}

/** Where the string that begins here ends. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1
  return at
}
