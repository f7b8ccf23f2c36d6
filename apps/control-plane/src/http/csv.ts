import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

type Cell = string | number
export type CsvRow = Readonly<Record<string, Cell>>

/** One line of RFC 4180. Text that a spreadsheet would take for a formula gets a `'` in front. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`
}

function cellText(cell: Cell): string {
  if (typeof cell === 'number') return String(cell)
  const isFormula = /^[=+\-@\t\r]/.test(cell)
  const text = isFormula ? `'${cell}` : cell
  return isFormula || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

type Pieces = AsyncIterable<readonly CsvRow[]> | Iterable<readonly CsvRow[]>

const patienceMs = 30_000

/** Answers rows as CSV, made only as fast as the client reads. A client that takes nothing for so long is cut. */
export function sendCsv(
  reply: FastifyReply,
  columns: readonly string[],
  pieces: Pieces,
  stallMs = patienceMs,
): FastifyReply {
  const { raw } = reply
  let timer: NodeJS.Timeout | undefined
  const stall = {
    wait() {
      timer = setTimeout(() => raw.destroy(), stallMs).unref()
    },
    goOn: () => clearTimeout(timer),
  }
  raw.once('close', stall.goOn)
  return reply.type('text/csv; charset=utf-8; header=present').send(Readable.from(lines(columns, pieces, stall)))
}

/** Waits only while the client has to take what was made, and not while the next piece is read. */
async function* lines(
  columns: readonly string[],
  pieces: Pieces,
  stall: { readonly wait: () => void; readonly goOn: () => void },
): AsyncGenerator<Buffer> {
  stall.wait()
  yield Buffer.from(csvLine(columns))
  stall.goOn()
  for await (const rows of pieces) {
    const text = rows.map((row) => csvLine(columns.map((column) => row[column] ?? ''))).join('')
    if (text === '') continue
    stall.wait()
    yield Buffer.from(text)
    stall.goOn()
  }
  // What is left lies in the buffers of the connection.
  stall.wait()
}
