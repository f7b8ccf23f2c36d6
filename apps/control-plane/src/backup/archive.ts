import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { z } from 'zod'
import { StartError } from '../start-error.js'
import { isKeptPath } from './files.js'

/*
 * A gzip of lines. The first is the manifest, in JSON. Then for each table `T <name>`, and for each of its rows `R <JSON>`;
 * `S <sequence> <last number>`; and `E <rows>` at the end, without which the archive is torn.
 */
const format = 'roost-backup'

const Manifest = z.object({
  format: z.literal(format),
  version: z.literal(1),
  release: z.string(),
  created: z.string(),
  migrations: z.array(z.string().regex(/^\w+$/)),
  files: z.array(z.object({ path: z.string().refine(isKeptPath), base64: z.base64() })),
})
export type Manifest = z.infer<typeof Manifest>

export interface ArchiveWriter {
  line(text: string): Promise<void>
}

/** Writes an archive under a name of its own first: what stands under `path` is always a whole one. */
export async function writeArchive(path: string, write: (archive: ArchiveWriter) => Promise<void>): Promise<void> {
  const draft = `${path}.new`
  const gzip = createGzip()
  const written = pipeline(gzip, createWriteStream(draft, { mode: 0o600, flush: true }))
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
    await rename(draft, path)
  } catch (error) {
    const unwritable = fault
    gzip.destroy()
    await written.catch(() => {})
    await rm(draft, { force: true })
    if (unwritable === undefined) throw error
    const reason = unwritable.code ?? unwritable.message
    throw new StartError(
      `${path} cannot be written (${reason}): name a place with room where this account may write.`,
      {
        cause: error,
      },
    )
  }
}

/** What an archive holds, in the order in which it was written. */
export interface ArchiveReader {
  table?(name: string): Promise<void>
  row?(text: string): Promise<void>
  sequence?(name: string, last: string): Promise<void>
}

/** Reads an archive to its end. Throws StartError for what is none, and for one that is torn. */
export async function readArchive(path: string, reader: ArchiveReader): Promise<Manifest> {
  let manifest: Manifest | undefined
  let rows = 0
  let isWhole = false
  for await (const line of linesOf(path)) {
    const text = line.slice(2)
    if (manifest === undefined) manifest = parseManifest(path, line)
    else if (line.startsWith('R ')) {
      rows += 1
      await reader.row?.(text)
    } else if (line.startsWith('T ')) await reader.table?.(text)
    else if (line.startsWith('S ')) await readSequence(text, reader)
    else isWhole = line === `E ${rows}`
  }
  if (manifest === undefined || !isWhole)
    throw new StartError(`${path} is torn: its end is missing. Use another backup.`)
  return manifest
}

async function readSequence(text: string, reader: ArchiveReader): Promise<void> {
  const [name = '', last = ''] = text.split(' ')
  await reader.sequence?.(name, last)
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const gunzip = createGunzip()
  const unpacked = pipeline(createReadStream(path), gunzip)
  unpacked.catch((error: Error) => gunzip.destroy(error))
  try {
    for await (const line of createInterface({ input: gunzip, crlfDelay: Infinity })) yield line
    await unpacked
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new StartError(`There is no file ${path}.`, { cause: error })
    if (!code.startsWith('Z_') && code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
    throw new StartError(`${path} cannot be unpacked (${message}): it is no backup of Roost, or it is torn.`, {
      cause: error,
    })
  }
}

function parseManifest(path: string, line: string): Manifest {
  try {
    return Manifest.parse(JSON.parse(line))
  } catch (error) {
    throw new StartError(`${path} is no backup that this Roost can read.`, { cause: error })
  }
}

export function manifestLine(manifest: Omit<Manifest, 'format' | 'version'>): string {
  return JSON.stringify({ format, version: 1, ...manifest } satisfies Manifest)
}
