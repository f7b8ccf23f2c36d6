import { dumpDatabase, restoreDatabase } from '@roost/database'
import type { DumpSink } from '@roost/database'
import type { Connection } from '../database/database.js'
import { manifestLine, readArchive, writeArchive } from './archive.js'
import type { ArchiveFile, Manifest } from './archive.js'
import type { KeptFile } from './files.js'

export interface BackupContents {
  readonly files: readonly KeptFile[]
  readonly release: string
  readonly created: Date
  /** Include the history of metrics. */
  readonly withHistory: boolean
}

export interface BackupCounts {
  readonly rows: number
  /** The size of the history of metrics in the database, whether it is included or not. */
  readonly historyBytes: number
}

const rowsAtOnce = 500
const charactersAtOnce = 4_000_000

/** Writes a snapshot of the database and the files to an archive. */
export async function backUp(
  connection: Connection,
  file: ArchiveFile,
  contents: BackupContents,
): Promise<BackupCounts> {
  const { withHistory, files, release } = contents
  let count = 0
  let historyBytes = 0
  const created = contents.created.toISOString()
  await writeArchive(file, async (archive) => {
    const sink: DumpSink = {
      schema: (names) =>
        archive.line(
          manifestLine({ release, created, migrations: [...names], history: withHistory, files: [...files] }),
        ),
      table: (name) => archive.line(`T ${name}`),
      partition: (partition) => archive.line(`P ${JSON.stringify(partition)}`),
      async rows(texts) {
        count += texts.length
        await archive.line(texts.map((text) => `R ${text}`).join('\n'))
      },
      sequence: (name, last) => archive.line(`S ${name} ${last}`),
    }
    historyBytes = await dumpDatabase(connection, sink, { withHistory })
    await archive.line(`E ${count}`)
  })
  return { rows: count, historyBytes }
}

export interface RestoreFlags {
  readonly force: boolean
  /** Leave the history of metrics that the database has. */
  readonly keepHistory: boolean
  readonly log: (message: string) => void
  readonly warn: (message: string) => void
}

/** Reads the complete archive. Throws StartError for an incomplete one, before anything is changed. */
export function inspect(file: ArchiveFile): Promise<Manifest> {
  return readArchive(file, {})
}

/** Restores the database from an archive in one transaction. Returns whether it has kept a history. */
export async function restore(
  connection: Connection,
  file: ArchiveFile,
  manifest: Manifest,
  flags: RestoreFlags,
): Promise<boolean> {
  return restoreDatabase(connection, { ...flags, migrations: manifest.migrations }, async (into) => {
    let table = ''
    let texts: string[] = []
    let characters = 0
    const flush = async () => {
      if (texts.length > 0) await into.rows(table, texts)
      texts = []
      characters = 0
    }
    await readArchive(file, {
      async row(text) {
        texts.push(text)
        characters += text.length
        if (texts.length >= rowsAtOnce || characters >= charactersAtOnce) await flush()
      },
      async table(name) {
        await flush()
        table = name
      },
      partition: (partition) => into.partition(partition),
      async sequence(name, last) {
        await flush()
        await into.sequence(name, last)
      },
    })
    await flush()
  })
}
