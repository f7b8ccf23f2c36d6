import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { readManagedFile, removeManagedFile, writeManagedFile } from '../machine/managed-file.js'
import { readManagedRecord } from '../machine/managed-record.js'

/** The result of the last deployment, without passwords: drift is measured against it, and a failed deployment returns to it. */
const InForce = z.object({
  /** Another node's generations are not this one's, on whichever machine. */
  node: z.string(),
  generation: z.number(),
  /** The hash of each file that is ours, by path. */
  files: z.record(z.string(), z.string()),
  /** With which generation each file was found to be in force; what an earlier version wrote does not say. */
  since: z.prefault(z.record(z.string(), z.number()), {}),
  /** Names of shares by the paths of their folders. */
  names: z.record(z.string(), z.string()),
  /** A fingerprint of the password of each account of ours, by name. */
  accounts: z.record(z.string(), z.string()),
})
export type InForce = z.infer<typeof InForce>

/** The files that a deployment has begun to change, as they were: null where there was none. */
const Before = z.record(z.string(), z.nullable(z.string()))
export type Before = Readonly<z.infer<typeof Before>>

const Journal = z.object({ node: z.string(), generation: z.number(), before: Before })

export interface GatewayState {
  readInForce(): Promise<InForce>
  /** Reads a file as the generation in force wrote it; undefined where it wrote none. */
  readFile(path: string): Promise<string | undefined>
  /** Saves the state, with the texts of its new files. */
  writeInForce(inForce: InForce, texts: ReadonlyMap<string, string>): Promise<void>
  /** Reads the files of an unfinished deployment; none after one that ended. */
  readJournal(): Promise<Before>
  /** Saves the record; one without files removes it. */
  writeJournal(generation: number, before: Before): Promise<void>
}

/** Opens the state. Files are synced and renamed: after a crash each is the old one or the new one. */
export function gatewayState(dir: string, node: string): GatewayState {
  const inForceFile = join(dir, 'in-force.json')
  const journalFile = join(dir, 'under-way.json')
  const copyOf = (path: string) => join(dir, path.slice(1).replaceAll('/', '+'))
  const make = () => mkdir(dir, { recursive: true, mode: 0o700 })
  return {
    async readInForce() {
      const read = await readManagedRecord(inForceFile, InForce)
      return read?.node === node ? read : { node, generation: 0, files: {}, since: {}, names: {}, accounts: {} }
    },
    readFile: async (path) => (await readManagedFile(copyOf(path)))?.toString(),
    async writeInForce(inForce, texts) {
      await make()
      for (const [path, text] of texts)
        if ((await readManagedFile(copyOf(path)))?.toString() !== text) await writeManagedFile(copyOf(path), text)
      await writeManagedFile(inForceFile, JSON.stringify({ ...inForce, node }))
    },
    async readJournal() {
      const read = await readManagedRecord(journalFile, Journal)
      if (read?.node !== node) return {}
      // A kill may have come between the end of a file's part and this one's.
      const { since } = await this.readInForce()
      return Object.fromEntries(Object.entries(read.before).filter(([path]) => since[path] !== read.generation))
    },
    async writeJournal(generation, before) {
      if (Object.keys(before).length === 0) return removeManagedFile(journalFile)
      await make()
      await writeManagedFile(journalFile, JSON.stringify({ node, generation, before }))
    },
  }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
