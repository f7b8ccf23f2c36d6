import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

type Cell = string | number | boolean
/** What a row does not have is an empty cell. */
export type CsvRow = Readonly<Record<string, Cell | undefined>>

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

type Pieces = AsyncIterable<readonly CsvRow[]> | Iterable<readonly CsvRow[]>

/** Answers rows as CSV, made only as fast as the client reads. */
export function sendCsv(reply: FastifyReply, columns: readonly string[], pieces: Pieces): FastifyReply {
  return reply.type('text/csv; charset=utf-8; header=present').send(Readable.from(lines(columns, pieces)))
}

async function* lines(columns: readonly string[], pieces: Pieces): AsyncGenerator<Buffer> {
  yield Buffer.from(csvLine(columns))
  for await (const rows of pieces) {
    const text = rows.map((row) => csvLine(columns.map((column) => row[column] ?? ''))).join('')
    if (text !== '') yield Buffer.from(text)
  }
}
