type Cell = string | number | boolean

/** Where a spreadsheet would take text for a formula: at its begin, or after a `;`, a tab or the end of a line, at which some split instead of at commas. */
const formula = /^(?=[=+\-@\t\r])|(?<=[;\t\r\n])(?=[=+\-@])/g

/** One line of RFC 4180. Text that a spreadsheet would take for a formula gets a `'` in front. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`
}

function cellText(cell: Cell): string {
  if (typeof cell !== 'string') return String(cell)
  const text = cell.replace(formula, "'")
  return text !== cell || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
