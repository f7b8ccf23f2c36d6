import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { z } from 'zod'
import { StartError } from '../lifecycle/start-error.js'
import { isKeptPath } from './files.js'

/*
 * A gzip of lines. The first is the manifest, in JSON. Then for each table `T <name>`, for each of its partitions `P <JSON>`
 * and for each of its rows `R <JSON>`; `S <sequence> <last number>`; and `E <rows>` at the end, without which the archive is incomplete.
 */
const format = 'roost-backup'

const Manifest = z.object({
  format: z.literal(format),
  version: z.literal(1),
  release: z.string(),
  created: z.string(),
  migrations: z.array(z.string().regex(/^\w+$/)),
  /** Whether the rows of the history of metrics are in it. */
  history: z.boolean().default(false),
  files: z.array(z.object({ path: z.string().refine(isKeptPath), base64: z.base64() })),
})
export type Manifest = z.infer<typeof Manifest>

const Partition = z.object({ table: z.string(), name: z.string(), bound: z.string(), options: z.array(z.string()) })
type Partition = z.infer<typeof Partition>

/** The path of an archive, or an open file descriptor; then the path is only for messages. */
export interface ArchiveFile {
  readonly path: string
  readonly descriptor?: number
}

export interface ArchiveWriter {
  line(text: string): Promise<void>
}

/** Writes an archive under a temporary name first: the file at `path` is always complete. */
export async function writeArchive(
  { path, descriptor }: ArchiveFile,
  write: (archive: ArchiveWriter) => Promise<void>,
): Promise<void> {
  if (descriptor !== undefined) return writeLines(path, createWriteStream('', { fd: descriptor, flush: true }), write)
  // A name that no other account can guess, and `wx`: a link that lies there is not followed.
  const draft = `${path}.${randomBytes(8).toString('hex')}.new`
  try {
    await writeLines(path, createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }), write)
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

async function writeLines(
  path: string,
  file: Writable,
  write: (archive: ArchiveWriter) => Promise<void>,
): Promise<void> {
  const gzip = createGzip()
  const written = pipeline(gzip, file)
  let fault: NodeJS.ErrnoException | undefined
  written.catch((error: Error) => (fault = error))
  try {
    await write({
      async line(text) {
        if (!gzip.write(`${text}\n`)) await Promise.race([once(gzip, 'drain'), written])
      },
    })
    gzip.end()
    await written
  } catch (error) {
    const unwritable = fault
    gzip.destroy()
    await written.catch(() => {})
    throw unwritable === undefined ? error : unwritableArchive(path, unwritable)
  }
}

export function unwritableArchive(path: string, cause: NodeJS.ErrnoException): StartError {
  const reason = cause.code ?? cause.message
  return new StartError(
    `Cannot write ${path} (${reason}). Use a path that this account can write, on a disk with free space.`,
    {
      cause,
    },
  )
}

export function noSuchArchive(path: string, cause: unknown): StartError {
  return new StartError(`File ${path} not found.`, { cause })
}

/** Receives the contents of an archive in the order of the file. */
export interface ArchiveReader {
  table?(name: string): Promise<void>
  partition?(partition: Partition): Promise<void>
  row?(text: string): Promise<void>
  sequence?(name: string, last: string): Promise<void>
}

/** Reads an archive to its end. Throws StartError for another kind of file and for an incomplete one. */
export async function readArchive(file: ArchiveFile, reader: ArchiveReader): Promise<Manifest> {
  let manifest: Manifest | undefined
  let rows = 0
  let isComplete = false
  const { path } = file
  for await (const line of linesOf(file)) {
    if (manifest === undefined) manifest = parseManifest(path, line)
    else if (line.startsWith('E ')) isComplete = line === `E ${rows}`
    else {
      if (line.startsWith('R ')) rows += 1
      await passOn(line, reader)
      isComplete = false
    }
  }
  if (manifest === undefined || !isComplete)
    throw new StartError(`${path} is incomplete: its end is missing. Use another backup.`)
  return manifest
}

async function passOn(line: string, reader: ArchiveReader): Promise<void> {
  const text = line.slice(2)
  if (line.startsWith('R ')) await reader.row?.(text)
  else if (line.startsWith('T ')) await reader.table?.(text)
  else if (line.startsWith('P ')) await reader.partition?.(Partition.parse(JSON.parse(text)))
  else if (line.startsWith('S ')) await readSequence(text, reader)
}

async function readSequence(text: string, reader: ArchiveReader): Promise<void> {
  const [name = '', last = ''] = text.split(' ')
  await reader.sequence?.(name, last)
}

async function* linesOf({ path, descriptor }: ArchiveFile): AsyncGenerator<string> {
  const gunzip = createGunzip()
  // A descriptor stays open and is read from the beginning each time.
  const options = descriptor === undefined ? {} : { fd: descriptor, start: 0, autoClose: false }
  const unpacked = pipeline(createReadStream(path, options), gunzip)
  unpacked.catch((error: Error) => gunzip.destroy(error))
  try {
    for await (const line of createInterface({ input: gunzip, crlfDelay: Infinity })) yield line
    await unpacked
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw noSuchArchive(path, error)
    if (!code.startsWith('Z_') && code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
    throw new StartError(`Cannot unpack ${path} (${message}). It is not a backup of Roost, or it is incomplete.`, {
      cause: error,
    })
  }
}

function parseManifest(path: string, line: string): Manifest {
  try {
    return Manifest.parse(JSON.parse(line))
  } catch (error) {
    throw new StartError(`${path} is not a backup that this version of Roost can read.`, { cause: error })
  }
}

export function manifestLine(manifest: Omit<Manifest, 'format' | 'version'>): string {
  return JSON.stringify({ format, version: 1, ...manifest } satisfies Manifest)
}
