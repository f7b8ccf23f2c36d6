// The files below /proc are read every few seconds for years: these functions avoid regular expressions and lists of all
// lines, which would be most of the agent's garbage.

const newline = 10
const blank = 32

/** Visits the lines of a text, including a last line without a newline. */
export function eachLine(text: string, visit: (line: string) => void): void {
  for (let start = 0; start < text.length;) {
    const end = text.indexOf('\n', start)
    const stop = end === -1 ? text.length : end
    if (stop > start) visit(text.slice(start, stop))
    start = stop + 1
  }
}

/** Splits a line at blanks and tabs. */
export function columns(line: string): string[] {
  const found: string[] = []
  let start = -1
  for (let i = 0; i <= line.length; i++) {
    const isBlank = i === line.length || line.charCodeAt(i) <= blank
    if (isBlank && start !== -1) found.push(line.slice(start, i))
    if (isBlank) start = -1
    else if (start === -1) start = i
  }
  return found
}

/** Returns the integer at an offset, after blanks; NaN without one. */
export function numberAt(text: string, offset: number): number {
  let i = offset
  while (i < text.length && text.charCodeAt(i) <= blank && text.charCodeAt(i) !== newline) i++
  const start = i
  let value = 0
  for (; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48
    if (digit < 0 || digit > 9) break
    value = value * 10 + digit
  }
  return i === start ? Number.NaN : value
}

/** Parses lines of a name, a separator and a number, and returns the wanted ones. */
export function readFields(
  text: string,
  separator: ' ' | ':',
  wanted: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const fields = new Map<string, number>()
  eachLine(text, (line) => {
    const end = line.indexOf(separator)
    const name = line.slice(0, Math.max(0, end))
    if (!wanted.has(name)) return
    const value = numberAt(line, end + 1)
    if (!Number.isNaN(value)) fields.set(name, value)
  })
  return fields
}
