export interface TableOptions {
  /** Spaces before each line. */
  readonly indent?: number
  /** False: only the rows. */
  readonly headings?: boolean
  /** Cells of the widest columns are cut so that lines have at most so many characters. */
  readonly maxWidth?: number
  /** Adds escape sequences around a cell that has its width already. */
  readonly paint?: (padded: string, row: number, column: number) => string
}

const leastWidth = 8

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
  { indent = 0, headings: hasHeadings = true, maxWidth = Infinity, paint = (padded) => padded }: TableOptions = {},
): string {
  const printableRows = rows.map((row) => row.map((cell) => printable(cell)))
  const lines = hasHeadings ? [headings, ...printableRows] : printableRows
  const widths = fitted(
    headings.map((_, column) => Math.max(0, ...lines.map((line) => line[column]?.length ?? 0))),
    maxWidth - indent,
  )
  const first = hasHeadings ? 1 : 0
  return lines
    .map((line, index) => {
      const cells = line.map((cell, column) => {
        const width = widths[column] ?? 0
        const shown = cell.length > width ? `${cell.slice(0, width - 1)}…` : cell
        const isLast = column === line.length - 1
        const padded = isLast ? shown : shown.padEnd(width)
        return index < first ? padded : paint(padded, index - first, column)
      })
      return `${' '.repeat(indent)}${cells.join('  ').trimEnd()}\n`
    })
    .join('')
}

/** Narrows the widest columns until they fit; a column keeps 8 characters. */
function fitted(widths: readonly number[], maxWidth: number): readonly number[] {
  const narrowed = [...widths]
  const total = () => narrowed.reduce((sum, width) => sum + width, 2 * (narrowed.length - 1))
  for (let widest = Math.max(...narrowed); total() > maxWidth && widest > leastWidth; widest = Math.max(...narrowed))
    narrowed[narrowed.indexOf(widest)] = Math.max(leastWidth, widest - (total() - maxWidth), secondWidest(narrowed))
  return narrowed
}

/** Returns the width to which the widest column is narrowed first, so that no short column loses more than a long one. */
function secondWidest(widths: readonly number[]): number {
  const sorted = widths.toSorted((a, b) => b - a)
  const [first = 0, second = 0] = sorted
  return first === second ? first - 1 : second
}

/** Returns a count with its noun, such as `1 node` and `2 nodes`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
