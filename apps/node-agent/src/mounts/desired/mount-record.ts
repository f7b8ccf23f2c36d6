import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as z from 'zod/mini'
import { writeManagedFile } from '../../machine/managed-file.js'
import { readManagedRecord } from '../../machine/managed-record.js'
import { MountSpec } from './mount-spec.js'
import { Logins } from '../rclone/config.js'

/** Records the desired mounts; it survives a restart of the agent and of the machine. */
const MountRecord = z.object({
  /** Mounts that the servers' present files need. */
  settled: z.readonly(z.array(MountSpec)),
  /** Mounts that the files of a running deployment need; null when there is none. */
  staged: z.nullable(z.readonly(z.array(MountSpec))),
  /** Ended mounts that may have left files to upload. */
  draining: z.readonly(z.array(MountSpec)),
  logins: Logins,
})
export type MountRecord = z.infer<typeof MountRecord>

export interface MountRecordFile {
  read(): Promise<MountRecord>
  write(record: MountRecord): Promise<void>
}

export function mountRecordFile(path: string): MountRecordFile {
  return {
    async read() {
      return (await readManagedRecord(path, MountRecord)) ?? { settled: [], staged: null, draining: [], logins: {} }
    },
    async write(record) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeManagedFile(path, JSON.stringify(record))
    },
  }
}

/** Returns the mounts that should be up now: a replaced one until its deployment settles. */
export function desiredMounts({ settled, staged }: MountRecord): readonly MountSpec[] {
  const replacedLater = new Set(settled.map(({ share }) => share))
  return [...settled, ...(staged ?? []).filter(({ share }) => !replacedLater.has(share))]
}

/** Removes the logins that no mount needs any longer. */
export function withoutUnused(record: MountRecord): MountRecord {
  const used = new Set(
    [...desiredMounts(record), ...(record.staged ?? []), ...record.draining].map(({ remote }) => remote),
  )
  return { ...record, logins: Object.fromEntries(Object.entries(record.logins).filter(([name]) => used.has(name))) }
}
