import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { writeManagedFile } from '../../machine/managed-file.js'
import { readManagedRecord } from '../../machine/managed-record.js'
import type { KnownUser } from './changes.js'

const InForce = z.object({
  /** Generations belong to one node, also when it moves to another machine. */
  node: z.string(),
  generation: z.number(),
  users: z.array(z.object({ line: z.string(), login: z.string(), digest: z.string() })),
  /** The logins whose tokens this generation ended; missing in files of 0.1.0. */
  ended: z.optional(z.array(z.string())),
  /** The logins whose tokens may remain on a memcached server that was not reached. */
  pending: z.optional(z.array(z.string())),
})
export type InForce = z.infer<typeof InForce>

/** What a deployment leaves for the next one. */
export interface InForceUsers {
  readonly generation: number
  readonly users: readonly KnownUser[]
  readonly ended?: readonly string[] | undefined
  readonly pending?: readonly string[] | undefined
}

/** The users of the last deployment without keys, for drift and for the tokens to revoke. */
export interface InForceFile {
  /** Returns null before the first deployment. */
  read(): Promise<InForce | null>
  write(inForce: InForceUsers): Promise<void>
}

export function inForceFile(dir: string, node: string): InForceFile {
  const path = join(dir, 'in-force.json')
  return {
    async read() {
      const read = await readManagedRecord(path, InForce)
      return read?.node === node ? read : null
    },
    async write({ generation, users, ended, pending }) {
      await mkdir(dir, { recursive: true, mode: 0o700 })
      await writeManagedFile(path, JSON.stringify({ node, generation, users, ended, pending }))
    },
  }
}
