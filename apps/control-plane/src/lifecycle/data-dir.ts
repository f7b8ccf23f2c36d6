import { type Clock, createDiskReader, DataDirWatch, type DiskReader, systemClock } from '@roost/runtime'
import { logged } from '../services/errors.js'
import type { Log } from './log.js'

/** The embedded PostgreSQL stops when its disk is full, and needs space to start again. */
export const dataDirBounds = { leastBytes: 1e9, mostBytes: 10e9 } as const

/** Does not keep a process alive whose start failed. */
const clock: Clock = {
  ...systemClock,
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs).unref()
    return () => clearTimeout(timer)
  },
}

/** Warns before the disk of the data directory is full: once, until there is enough space again. */
export function watchDataDir(dataDir: string, log: Log, reader: DiskReader = createDiskReader(dataDir)): DataDirWatch {
  let wasNearlyFull = false
  return new DataDirWatch({
    reader,
    bounds: dataDirBounds,
    clock,
    onReading({ availableBytes }, isNearlyFull) {
      if (isNearlyFull && !wasNearlyFull)
        log.warn({ dataDir, availableBytes }, 'the disk of the data directory is nearly full: free some disk space')
      if (!isNearlyFull && wasNearlyFull)
        log.info({ dataDir, availableBytes }, 'the disk of the data directory has enough space again')
      wasNearlyFull = isNearlyFull
    },
    onFault: (error) => log.warn({ ...logged(error), dataDir }, 'could not read the disk of the data directory'),
  })
}
