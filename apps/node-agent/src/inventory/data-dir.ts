import { dataDirNearlyFull } from '@roost/api-types/checks'
import { type Clock, createDiskReader, DataDirWatch, type DiskReader, type Log, nearlyFullBelow } from '@roost/runtime'
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
      const leastBytes = nearlyFullBelow(space, dataDirBounds)
      problems.set('data_dir', isNearlyFull ? dataDirNearlyFull.find({ dataDir, leastBytes, ...space }) : [])
    },
    onFault: (error) => log.warn('could not read the free space on the disk of the data directory', { error }),
  })
}
