export interface TableOptions {
  /** Spaces before each line. */
  readonly indent?: number
}

/** Characters that move the cursor or change the direction of what follows: control characters, line separators and marks of bidirectional text. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu

/** Returns the text with `?` in place of characters that change how a terminal shows the rest. What others wrote is shown only so. */
export function printable(text: string): string {
  return text.replaceAll(unprintable, '?')
}

/** Renders rows as aligned columns below their headings. Cells may come from outside: they are made printable. */
export function renderTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  { indent = 0 }: TableOptions = {},
): string {
  const lines = [headings, ...rows].map((line) => line.map((cell) => printable(cell)))
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const pad = (cell: string, column: number) => cell.padEnd(widths[column] ?? 0)
  return lines.map((line) => `${' '.repeat(indent)}${line.map(pad).join('  ')}`.trimEnd() + '\n').join('')
}

/** Returns a count with its noun, such as `1 node` and `2 nodes`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
