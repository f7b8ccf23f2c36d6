import { type Clock, createDiskReader, DataDirWatch, type DiskReader, type Log } from '@roost/runtime'
import type { NodeProblems } from '../machine/problems.js'

/** The spool may need 64 MiB, and records of deployments and mounts some more. */
export const dataDirBounds = { leastBytes: 200e6, mostBytes: 1e9 } as const

export interface DataDirOptions {
  readonly dataDir: string
  readonly problems: NodeProblems
  readonly clock: Clock
  readonly log: Log
  readonly reader?: DiskReader
}

/** Reports a problem of the node before the disk of the agent's own files is full. */
export function watchDataDir({ dataDir, problems, clock, log, reader }: DataDirOptions): DataDirWatch {
  return new DataDirWatch({
    reader: reader ?? createDiskReader(dataDir),
    bounds: dataDirBounds,
    clock,
    onReading(space, isNearlyFull) {
      const message = `The disk of ${dataDir} has only ${megabytes(space.availableBytes)} MB left. When it is full, reports that wait for the control plane are lost and deployments fail. Remove other files from this disk, or enlarge it.`
      problems.set('data_dir', isNearlyFull ? [{ code: 'data_dir_nearly_full', subject: dataDir, message }] : [])
    },
    onFault: (error) => log.warn('could not read the free space on the disk of the data directory', { error }),
  })
}

function megabytes(bytes: number): number {
  return Math.floor(bytes / 1e6)
}
