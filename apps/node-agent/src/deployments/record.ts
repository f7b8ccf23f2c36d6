import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AppliedMessage, Confirmation, type DeploymentKind, SentState } from '@roost/api-types/agent'
import * as z from 'zod/mini'
import { writeManagedFile } from '../machine/managed-file.js'
import { readManagedRecord } from '../machine/managed-record.js'
import type { Outcome } from './applier.js'

/** The window of a generation that must be confirmed. */
const PendingConfirmation = z.object({
  ...Confirmation.shape,
  /** Unix milliseconds of the result, from which the time counts; null before it, and 0 once the agent returns. */
  since: z.nullable(z.number()),
})
export type PendingConfirmation = z.infer<typeof PendingConfirmation>

const { outcome, in_force, partly, message, files } = AppliedMessage.shape

/** The last generation that was requested of this node, and its result. */
const DeploymentRecord = z.object({
  /** A record of another node is ignored, for example on a cloned machine. */
  node: z.string(),
  generation: z.number(),
  in_force,
  /** Null once it is in force or has failed for good, because it contains passwords. */
  desired: z.nullable(SentState),
  answer: z.nullable(z.object({ outcome, in_force, partly, message, files })),
  /** Null or absent if the generation needs no confirmation, or has it. */
  confirm: z.optional(z.nullable(PendingConfirmation)),
})
export type DeploymentRecord = z.infer<typeof DeploymentRecord>

/** Records the generations of one kind before they are applied. */
export interface RecordFile {
  read(): Promise<DeploymentRecord>
  write(record: DeploymentRecord): Promise<void>
}

export function recordFile(dir: string, kind: DeploymentKind, node: string): RecordFile {
  const path = join(dir, `${kind}.json`)
  return {
    async read() {
      const record = await readManagedRecord(path, DeploymentRecord)
      return record?.node === node ? record : { node, generation: 0, in_force: 0, desired: null, answer: null }
    },
    async write(record) {
      await mkdir(dir, { recursive: true, mode: 0o700 })
      await writeManagedFile(path, JSON.stringify(record), 0o600)
    },
  }
}

/** Returns the record of a generation that has a result. */
export function answered(record: DeploymentRecord, { isIncomplete, ...answer }: Outcome): DeploymentRecord {
  const desired = isIncomplete === true ? record.desired : null
  return { ...record, in_force: answer.in_force, desired, answer: { ...answer, files: [...answer.files] } }
}
