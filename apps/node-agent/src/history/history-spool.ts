import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeHistoryFrame, type HistoryColumnsMessage } from '@roost/api-types/agent'
import type { Log } from '@roost/runtime'
import { readManagedFile, writeManagedFile } from '../machine/managed-file.js'
import type { Catalogue } from '../uplink/catalogue.js'
import { listFolder } from '../uplink/list-folder.js'
import { historyKind, type MessageSpool, type SpooledMessage } from '../uplink/message-spool.js'
import { chunksOf } from './chunks.js'
import type { FullWindow } from './window.js'

export interface HistorySpoolOptions {
  /** For the names of the columns; the chunks themselves are in the spool of the messages. */
  readonly dir: string
  readonly messages: MessageSpool
  readonly log: Log
}

const columnsFile = /^([0-9a-f]{8})\.json$/
const hexOf = (catalogue: number) => catalogue.toString(16).padStart(8, '0')
const kindOf = (catalogue: number) => `${historyKind}_${hexOf(catalogue)}`

/** The chunks that wait for the control plane, and the names of their columns, which it may not know any more. */
export class HistorySpool {
  readonly #options: HistorySpoolOptions
  /** Names that could not be saved. */
  readonly #columns = new Map<number, string>()
  /** The sizes of the files with names. */
  readonly #saved = new Map<number, number>()
  /** Of the last window: its names stay, so that they are written once and not with each window. */
  #current: number | null = null

  private constructor(options: HistorySpoolOptions) {
    this.#options = options
  }

  static async open(options: HistorySpoolOptions): Promise<HistorySpool> {
    const spool = new HistorySpool(options)
    for (const name of await listFolder(options.dir)) {
      const hex = columnsFile.exec(name)?.[1]
      if (hex === undefined) continue
      const { size } = await stat(join(options.dir, name))
      spool.#saved.set(Number.parseInt(hex, 16), size)
    }
    await spool.#removeUnused()
    return spool
  }

  /** Returns the chunks, oldest first. */
  pending(): readonly SpooledMessage[] {
    return this.#options.messages.pending().filter(({ kind }) => kind.startsWith(historyKind))
  }

  /** Keeps a window. Its columns are on the disk before it. */
  async add(window: FullWindow, mantissa: number): Promise<void> {
    const { catalogue } = window
    this.#current = catalogue.id
    await this.#saveColumns(catalogue)
    for (const chunk of chunksOf(window, mantissa))
      await this.#options.messages.add(kindOf(catalogue.id), (sequence) =>
        encodeHistoryFrame({ catalogue: catalogue.id, sequence, mantissa, chunk }),
      )
    await this.#removeUnused()
  }

  /** Reads the message of a chunk; undefined once it was acknowledged or dropped. */
  read(message: SpooledMessage): Promise<Uint8Array | undefined> {
    return this.#options.messages.readBytes(message)
  }

  /** Reads the message with the names of a chunk's columns; undefined if there is none. */
  async columns({ kind }: SpooledMessage): Promise<string | undefined> {
    const id = catalogueIn(kind)
    return this.#columns.get(id) ?? (await readManagedFile(this.#path(id)))?.toString()
  }

  /** Removes chunks, and the names that no other chunk needs. */
  async remove(sequences: readonly number[]): Promise<void> {
    for (const sequence of sequences) await this.#options.messages.acknowledge(sequence)
    await this.#removeUnused()
  }

  async #saveColumns({ id, metrics }: Catalogue): Promise<void> {
    if (this.#saved.has(id) || this.#columns.has(id)) return
    const message: HistoryColumnsMessage = { type: 'history_columns', id, metrics: [...metrics] }
    const text = JSON.stringify(message)
    try {
      await mkdir(this.#options.dir, { recursive: true, mode: 0o700 })
      await writeManagedFile(this.#path(id), text)
      this.#saved.set(id, Buffer.byteLength(text))
      this.#reserve()
    } catch (error) {
      this.#columns.set(id, text)
      this.#options.log.error(
        'could not save the names of a history of metrics: check the free space and permissions of the data directory',
        { error },
      )
    }
  }

  async #removeUnused(): Promise<void> {
    const used = new Set(this.pending().map(({ kind }) => catalogueIn(kind)))
    if (this.#current !== null) used.add(this.#current)
    for (const id of this.#columns.keys()) if (!used.has(id)) this.#columns.delete(id)
    for (const id of this.#saved.keys()) {
      if (used.has(id)) continue
      this.#saved.delete(id)
      await rm(this.#path(id), { force: true })
    }
    this.#reserve()
  }

  /** Names and chunks have one bound; where chunks are dropped, names that they alone used follow. */
  #reserve(): void {
    this.#options.messages.reserve([...this.#saved.values()].reduce((sum, size) => sum + size, 0))
  }

  #path(id: number): string {
    return join(this.#options.dir, `${hexOf(id)}.json`)
  }
}

/** The id of the catalogue of a chunk, from the kind of its message. */
export function catalogueIn(kind: string): number {
  return Number.parseInt(kind.slice(historyKind.length + 1), 16)
}
