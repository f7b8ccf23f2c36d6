import { type Clock, createDiskReader, DataDirWatch, type DiskReader, systemClock } from '@roost/runtime'
import { logged } from '../services/errors.js'
import type { Log } from './log.js'
import { StartError } from './start-error.js'

/** The embedded PostgreSQL stops when its disk is full, and needs space to start again. */
export const dataDirBounds = { leastBytes: 1e9, mostBytes: 10e9 } as const

/** The files of the embedded PostgreSQL (40 MB), its empty database with the write-ahead log (60 MB), and a margin. */
const firstStartMb = 150

/** Throws StartError if the data directory has no space for the embedded PostgreSQL. Nothing is written. */
export async function requireSpaceForFirstStart(dataDir: string): Promise<void> {
  const reading = createDiskReader(dataDir).read()
  // A disk that cannot be read has a reason that the next step reports.
  const space = await reading.catch(() => ({ availableBytes: Number.POSITIVE_INFINITY }))
  const availableMb = Math.floor(space.availableBytes / 1e6)
  if (availableMb >= firstStartMb) return
  throw new StartError(
    `The disk of ${dataDir} has ${availableMb} MB available, and the first start needs ${firstStartMb} MB. Free some space, or set ROOST_DATA_DIR to a directory on another disk.`,
  )
}

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
    onFault: (error) =>
      log.warn({ ...logged(error), dataDir }, 'could not read the free space on the disk of the data directory'),
  })
}
