export interface TableOptions {
  /** Spaces before each line. */
  readonly indent?: number
}

/** Renders rows as aligned columns below their headings. Control characters are replaced: a cell may come from outside. */
export function renderTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  { indent = 0 }: TableOptions = {},
): string {
  const lines = [headings, ...rows].map((line) => line.map((cell) => cell.replaceAll(/\p{Cc}/gu, '?')))
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const pad = (cell: string, column: number) => cell.padEnd(widths[column] ?? 0)
  return lines.map((line) => `${' '.repeat(indent)}${line.map(pad).join('  ')}`.trimEnd() + '\n').join('')
}
