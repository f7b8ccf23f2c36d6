/** Where a spreadsheet would run text as a formula: at its begin, or after a `;`, a tab or the end of a line, at which some split instead of at commas. */
const formula = /^(?=[=+\-@\t\r])|(?<=[;\t\r\n])(?=[=+\-@])/g

/** Returns a value as a field of CSV (RFC 4180). */
function fieldOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const safe = (typeof value === 'string' ? value : JSON.stringify(value)).replace(formula, "'")
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function csvOf(rows: readonly (readonly unknown[])[]): string {
  return rows.map((row) => `${row.map(fieldOf).join(',')}\r\n`).join('')
}

/** Returns a line of field names, and a line for each record. */
export function rowsOf(records: readonly object[]): readonly (readonly unknown[])[] {
  const fields = [...new Set(records.flatMap((record) => Object.keys(record)))]
  return [
    fields,
    ...records.map((record) => fields.map((field) => (record as Readonly<Record<string, unknown>>)[field])),
  ]
}

/** Saves rows as a file on the operator's machine. */
export function downloadCsv(name: string, rows: readonly (readonly unknown[])[]): void {
  const url = URL.createObjectURL(new Blob([csvOf(rows)], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
