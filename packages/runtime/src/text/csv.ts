type Cell = string | number | boolean

/** One line of RFC 4180. Text that a spreadsheet would take for a formula gets a `'` in front. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`
}

function cellText(cell: Cell): string {
  if (typeof cell !== 'string') return String(cell)
  const isFormula = /^[=+\-@\t\r]/.test(cell)
  const text = isFormula ? `'${cell}` : cell
  return isFormula || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
