import { Readable } from 'node:stream'
import { csvLine } from '@roost/runtime'
import type { FastifyReply } from 'fastify'

type Cell = string | number | boolean
/** What a row does not have is an empty cell. */
export type CsvRow = Readonly<Record<string, Cell | undefined>>

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
