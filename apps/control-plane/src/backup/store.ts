import { dumpDatabase, restoreDatabase } from '@roost/database'
import type { Connection } from '../database/database.js'
import { manifestLine, readArchive, writeArchive } from './archive.js'
import type { ArchiveFile, Manifest } from './archive.js'
import type { KeptFile } from './files.js'

export interface BackupContents {
  readonly files: readonly KeptFile[]
  readonly release: string
  readonly created: Date
}

const rowsAtOnce = 500
const charactersAtOnce = 4_000_000

/** Writes a snapshot of the complete database and the files to an archive. Returns the number of rows. */
export async function backUp(connection: Connection, file: ArchiveFile, contents: BackupContents): Promise<number> {
  const { files, release, created } = contents
  let count = 0
  await writeArchive(file, async (archive) => {
    await dumpDatabase(connection, {
      schema: (migrations) =>
        archive.line(
          manifestLine({ release, created: created.toISOString(), migrations: [...migrations], files: [...files] }),
        ),
      table: (name) => archive.line(`T ${name}`),
      async rows(texts) {
        count += texts.length
        await archive.line(texts.map((text) => `R ${text}`).join('\n'))
      },
      sequence: (name, last) => archive.line(`S ${name} ${last}`),
    })
    await archive.line(`E ${count}`)
  })
  return count
}

export interface RestoreFlags {
  readonly force: boolean
  readonly log: (message: string) => void
}

/** Reads the complete archive. Throws StartError for an incomplete one, before anything is changed. */
export function inspect(file: ArchiveFile): Promise<Manifest> {
  return readArchive(file, {})
}

/** Restores the database from an archive in one transaction. */
export async function restore(connection: Connection, file: ArchiveFile, manifest: Manifest, flags: RestoreFlags) {
  await restoreDatabase(connection, { ...flags, migrations: manifest.migrations }, async (into) => {
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
      async sequence(name, last) {
        await flush()
        await into.sequence(name, last)
      },
    })
    await flush()
  })
}
