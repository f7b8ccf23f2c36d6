import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createGunzip } from 'node:zlib'

/** Identifies a log file under any name, compressed or not, by its first bytes. */
export interface Head {
  readonly bytes: number
  readonly sha256: string
}

/** So many bytes contain times and transaction IDs, which differ in each file. */
const headBytes = 1_024

/** A file of a log: the current one or a rotated one. */
export interface LogFile {
  readonly path: string
  readonly isPacked: boolean
  readonly modifiedAt: number
}

/** Lists the files beside a log whose names begin with its name, the oldest first. */
export async function rotatedFiles(path: string): Promise<readonly LogFile[]> {
  const folder = dirname(path)
  const names = (await readdir(folder)).filter((name) => name.startsWith(basename(path)) && name !== basename(path))
  const files = await Promise.all(names.map((name) => describe(join(folder, name))))
  return files.filter((file) => file !== undefined).toSorted((a, b) => a.modifiedAt - b.modifiedAt)
}

async function describe(path: string): Promise<LogFile | undefined> {
  const found = await stat(path).catch(unlessGone)
  if (found?.isFile() !== true) return undefined
  return { path, isPacked: path.endsWith('.gz'), modifiedAt: found.mtimeMs }
}

/** Reads the head of a file; undefined without a complete first line, or without the file. */
export async function headOf(file: LogFile, bytes = headBytes): Promise<Head | undefined> {
  const start = await firstBytes(file, bytes)
  if (start === undefined || !start.includes(10)) return undefined
  return { bytes: start.length, sha256: createHash('sha256').update(start).digest('hex') }
}

export async function hasHead(file: LogFile, head: Head): Promise<boolean> {
  const found = await headOf(file, head.bytes)
  return found?.bytes === head.bytes && found.sha256 === head.sha256
}

async function firstBytes(file: LogFile, bytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of contents(file, 0, bytes)) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= bytes) break
    }
  } catch (error) {
    if (file.isPacked) return undefined // not a compressed file, or incomplete
    return unlessGone(error as NodeJS.ErrnoException)
  }
  return Buffer.concat(chunks).subarray(0, bytes)
}

const chunkBytes = 256 * 1_024

/** Reads the bytes of a log from an offset in the uncompressed file. */
async function* contents(file: LogFile, offset: number, pieceBytes = chunkBytes): AsyncGenerator<Buffer> {
  if (file.isPacked) yield* unpacked(file, offset)
  else yield* plain(file, offset, pieceBytes)
}

async function* plain(file: LogFile, offset: number, pieceBytes: number): AsyncGenerator<Buffer> {
  const handle = await open(file.path, 'r')
  try {
    for (let at = offset; ;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes, at)
      if (bytesRead === 0) return
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}

async function* unpacked(file: LogFile, offset: number): AsyncGenerator<Buffer> {
  let skip = offset
  const stream = createReadStream(file.path)
  const gunzip = stream.pipe(createGunzip())
  stream.on('error', (error) => gunzip.destroy(error))
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      if (skip < chunk.length) yield chunk.subarray(skip)
      skip = Math.max(0, skip - chunk.length)
    }
  } finally {
    stream.destroy()
  }
}

/** Lines of Swift are shorter. */
const longestLine = 1 << 20

export interface ReadResult {
  /** The offset of the next line. */
  readonly offset: number
  readonly atEnd: boolean
  /** The error that stopped the read. */
  readonly fault?: unknown
}

/** Reads complete lines from an offset. Stops after about `mostBytes`. */
export async function readLines(
  file: LogFile,
  offset: number,
  mostBytes: number,
  onLine: (line: string) => void,
): Promise<ReadResult> {
  let at = offset
  let rest: Buffer = Buffer.alloc(0)
  try {
    for await (const chunk of contents(file, offset)) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      const end = bytes.lastIndexOf(10) + 1
      eachLine(bytes.subarray(0, end), onLine)
      const isTooLong = bytes.length - end > longestLine
      rest = isTooLong ? Buffer.alloc(0) : bytes.subarray(end)
      at += isTooLong ? bytes.length : end
      if (at - offset >= mostBytes) return { offset: at, atEnd: false }
    }
  } catch (fault) {
    return { offset: at, atEnd: true, fault }
  }
  return { offset: at, atEnd: true }
}

function eachLine(bytes: Buffer, onLine: (line: string) => void): void {
  const text = bytes.toString('latin1')
  for (let start = 0, end = text.indexOf('\n'); end !== -1; start = end + 1, end = text.indexOf('\n', start))
    onLine(text.slice(start, end))
}

export function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
