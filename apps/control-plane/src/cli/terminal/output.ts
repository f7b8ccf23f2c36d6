import { printable, renderTable } from '@roost/runtime'
import { Option } from 'commander'

/** Returns the option for the output format of a command. */
export function outputOption(): Option {
  return new Option('-o, --output <format>', 'output format').choices(['table', 'json']).default('table')
}

export interface OutputOptions {
  readonly output: 'table' | 'json'
}

type Cell = string | number | boolean | null | undefined

/** Columns by heading; each function returns the cell of a record. */
export type Columns<R> = Readonly<Record<string, (record: R) => Cell>>

export function render<R>(records: readonly R[], columns: Columns<R>, { output }: OutputOptions): string {
  if (output === 'json') return `${JSON.stringify(records, null, 2)}\n`
  const headings = Object.keys(columns)
  const rows = records.map((record) => Object.values(columns).map((cell) => text(cell(record))))
  return renderTable(headings, rows)
}

/** Prints one record with a line for each cell. */
export function renderOne<R>(record: R, columns: Columns<R>): string {
  const width = Math.max(...Object.keys(columns).map((heading) => heading.length))
  const lines = Object.entries(columns).map(([heading, cell]) => `${heading.padEnd(width)}  ${text(cell(record))}\n`)
  return lines.join('')
}

/** Returns printable text: values from nodes or other operators must not contain terminal escapes. */
function text(cell: Cell): string {
  return printable(String(cell ?? '-'))
}
