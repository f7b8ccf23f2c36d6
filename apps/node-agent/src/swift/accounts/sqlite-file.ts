import { closeSync, openSync, readSync, statSync } from 'node:fs'

/** A database file that cannot be read; the message is for operators. */
export class SqliteError extends Error {
  override readonly name = 'SqliteError'
}

export type SqliteValue = number | string | null
/** A table's row by the names of its columns. */
export type SqliteRow = ReadonlyMap<string, SqliteValue>

interface Table {
  readonly rootPage: number
  readonly columns: readonly string[]
  /** The column that is not stored, because it is the row's number. */
  readonly rowId: string | undefined
}

const headerBytes = 100
const magic = 'SQLite format 3\0'
/** Pages of a damaged file may form a cycle. */
const deepest = 20
const longestPayload = 1 << 20

/**
 * Reads tables of an SQLite database page by page (https://sqlite.org/fileformat2.html), without SQLite: a few pages of a
 * file that may have gigabytes, without native code or files beside it. Only files with a rollback journal, in UTF-8.
 * It does not lock: see `readConsistently`. Reads are synchronous, for a process that may hang with its disk.
 */
export class SqliteFile {
  readonly #fd: number
  readonly #pageSize: number
  readonly #usable: number
  readonly #pages = new Map<number, Buffer>()

  constructor(fd: number) {
    this.#fd = fd
    const header = Buffer.alloc(headerBytes)
    if (readSync(fd, header, 0, headerBytes, 0) < headerBytes || header.toString('latin1', 0, 16) !== magic)
      throw new SqliteError('it is not a SQLite database')
    if (header[18] !== 1 || header[19] !== 1) throw new SqliteError('it has a write-ahead log, which Swift never uses')
    if (header.readUInt32BE(56) > 1) throw new SqliteError('its text encoding is not UTF-8')
    this.#pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
    this.#usable = this.#pageSize - (header[20] as number)
    if (this.#pageSize < 512 || this.#usable < 480) throw new SqliteError('its header is damaged')
  }

  /** Returns the rows of a table in the order of their numbers; undefined for a missing table. */
  rows(name: string): Iterable<SqliteRow> | undefined {
    const table = this.#table(name)
    return table && this.#rowsOf(table)
  }

  #table(name: string): Table | undefined {
    for (const { values } of this.#cells(1)) {
      const [type, table, , rootPage, sql] = values
      if (type === 'table' && table === name && typeof rootPage === 'number' && typeof sql === 'string')
        return { rootPage, ...parseColumns(sql) }
    }
    return undefined
  }

  *#rowsOf({ rootPage, columns, rowId }: Table): Generator<SqliteRow> {
    for (const { id, values } of this.#cells(rootPage))
      yield new Map(columns.map((column, i) => [column, column === rowId ? id : (values[i] ?? null)]))
  }

  *#cells(page: number, depth = 0): Generator<Cell> {
    if (depth > deepest) throw new SqliteError('its pages form a loop')
    const bytes = this.#page(page)
    const start = page === 1 ? headerBytes : 0
    const kind = bytes[start]
    const count = bytes.readUInt16BE(start + 3)
    if (kind !== 0x05 && kind !== 0x0d) throw new SqliteError(`page ${page} is not a page of a table`)
    const first = start + (kind === 0x05 ? 12 : 8)
    for (let i = 0; i < count; i++) {
      const at = bytes.readUInt16BE(first + 2 * i)
      if (kind === 0x05) yield* this.#cells(bytes.readUInt32BE(at), depth + 1)
      else yield this.#cell(bytes, at)
    }
    if (kind === 0x05) yield* this.#cells(bytes.readUInt32BE(start + 8), depth + 1)
  }

  #cell(bytes: Buffer, at: number): Cell {
    const [length, afterLength] = varint(bytes, at)
    const [id, begin] = varint(bytes, afterLength)
    if (length > longestPayload) throw new SqliteError('a row is longer than any row that Swift writes')
    const local = this.#localBytes(length)
    const own = bytes.subarray(begin, begin + local)
    const payload = local === length ? own : this.#withOverflow(own, length, bytes.readUInt32BE(begin + local))
    return { id, values: parseRecord(payload) }
  }

  /** Returns the size of the part of a payload that is in the page itself. */
  #localBytes(length: number): number {
    const usable = this.#usable
    if (length <= usable - 35) return length
    const least = Math.floor(((usable - 12) * 32) / 255) - 23
    const some = least + ((length - least) % (usable - 4))
    return some <= usable - 35 ? some : least
  }

  #withOverflow(own: Buffer, length: number, firstPage: number): Buffer {
    const parts = [own]
    let missing = length - own.length
    for (let next = firstPage; missing > 0;) {
      const bytes = this.#page(next)
      const part = bytes.subarray(4, Math.min(this.#usable, 4 + missing))
      parts.push(part)
      missing -= part.length
      next = bytes.readUInt32BE(0)
    }
    return Buffer.concat(parts)
  }

  #page(number: number): Buffer {
    const known = this.#pages.get(number)
    if (known !== undefined) return known
    if (number < 1) throw new SqliteError('it refers to a page that cannot exist')
    const bytes = Buffer.alloc(this.#pageSize)
    if (readSync(this.#fd, bytes, 0, this.#pageSize, (number - 1) * this.#pageSize) < this.#pageSize)
      throw new SqliteError(`it ends before page ${number}`)
    this.#pages.set(number, bytes)
    return bytes
  }
}

interface Cell {
  readonly id: number
  readonly values: readonly SqliteValue[]
}

/** Reads a number of seven bits a byte, and returns it with its end. */
function varint(bytes: Buffer, at: number): readonly [number, number] {
  let value = 0
  for (let i = 0; i < 8; i++) {
    const byte = bytes.readUInt8(at + i)
    value = value * 128 + (byte & 127)
    if (byte < 128) return [value, at + i + 1]
  }
  return [value * 256 + bytes.readUInt8(at + 8), at + 9]
}

function parseRecord(payload: Buffer): readonly SqliteValue[] {
  const [headerEnd, begin] = varint(payload, 0)
  const values: SqliteValue[] = []
  let body = headerEnd
  for (let at = begin; at < headerEnd;) {
    const [type, next] = varint(payload, at)
    const length = lengthOf(type)
    values.push(valueOf(type, payload.subarray(body, body + length)))
    body += length
    at = next
  }
  return values
}

const fixedLengths = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]

function lengthOf(type: number): number {
  return fixedLengths[type] ?? Math.floor((type - 12) / 2)
}

/** Blobs are skipped. */
function valueOf(type: number, bytes: Buffer): SqliteValue {
  if (type === 8 || type === 9) return type - 8
  if (type === 6) return Number(bytes.readBigInt64BE(0))
  if (type === 7) return bytes.readDoubleBE(0)
  if (type >= 1 && type <= 5) return bytes.readIntBE(0, bytes.length)
  return type >= 13 && type % 2 === 1 ? bytes.toString('utf8') : null
}

/** Parses the column names of a `CREATE TABLE`, in order, and the one that is the row's number. */
function parseColumns(sql: string): Pick<Table, 'columns' | 'rowId'> {
  const body = sql.slice(sql.indexOf('(') + 1, sql.lastIndexOf(')'))
  const definitions = body.split(/,(?![^(]*\))/).map((definition) => definition.trim())
  const names = definitions.map((definition) => (/^["'`[]?(\w+)/.exec(definition)?.[1] ?? '').toLowerCase())
  const rowId = names[definitions.findIndex((definition) => /^\S+\s+INTEGER\s+PRIMARY\s+KEY/i.test(definition))]
  return { columns: names, rowId }
}

/** Attempts while other processes write. */
const attempts = 3
const changeCounterAt = 24

/**
 * Reads a database to which other processes may write. SQLite writes to a file only while a journal exists, and raises the file's
 * change counter before it removes the journal: without a journal before and after, and with the same counter, everything that
 * was read is of one state. Undefined when each attempt met a writer.
 */
export function readConsistently<T>(path: string, read: (file: SqliteFile) => T): T | undefined {
  const fd = openSync(path, 'r')
  try {
    for (let i = 0; i < attempts; i++) {
      const before = changeCounter(fd)
      if (hasJournal(path)) continue
      const result = attempt(() => read(new SqliteFile(fd)))
      if (hasJournal(path) || changeCounter(fd) !== before) continue
      if ('error' in result) throw result.error
      return result.value
    }
    return undefined
  } finally {
    closeSync(fd)
  }
}

/** A read between two states may report damage that does not exist. */
function attempt<T>(work: () => T): { readonly value: T } | { readonly error: unknown } {
  try {
    return { value: work() }
  } catch (error) {
    return { error }
  }
}

function changeCounter(fd: number): number {
  const bytes = Buffer.alloc(4)
  readSync(fd, bytes, 0, 4, changeCounterAt)
  return bytes.readUInt32BE(0)
}

function hasJournal(path: string): boolean {
  return (statSync(`${path}-journal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}
