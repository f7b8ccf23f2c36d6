export {
  type AtomicFileOptions,
  commitStagedFile,
  removeStagedFile,
  stageFile,
  syncFolder,
  writeFileAtomically,
} from './atomic-file.js'
export { type BackoffLimits, backoffMs } from './backoff.js'
export { CheckLoop, type CheckLoopOptions } from './queues/check-loop.js'
export { type Clock, systemClock } from './clock.js'
export { closeAll } from './close-all.js'
export { concurrencyLimit } from './concurrency-limit.js'
export { DataDirWatch, nearlyFullBelow, type SpaceBounds } from './data-dir-watch.js'
export { csvLine } from './text/csv.js'
export { createDiskReader, type DiskReader, type DiskSpace } from './disk-space.js'
export { ConfigError } from './errors.js'
export { errorText } from './text/error-text.js'
export { failedChecks, type Finding, renderFindings } from './findings.js'
export { type ClientPort, type ClosedPort, closedPorts, type FirewallFiles } from './firewall.js'
export { inParallel } from './in-parallel.js'
export { KeyedQueue } from './queues/keyed-queue.js'
export { createLog, type Log, type LogFields, type LogFormat, type LogLevel } from './log.js'
export { Periodic, type PeriodicOptions, type Stoppable } from './periodic.js'
export { watchOutput } from './program-output.js'
export { RetrySchedule } from './retry-schedule.js'
export { SerialQueue } from './queues/serial-queue.js'
export { type BundleContents, bundleName, type BundlePart, writeBundle } from './support/bundle.js'
export { describeMachine, listSizes, readTail } from './support/sources.js'
export { readJournal, readUnitStates } from './systemd/journal.js'
export { createNotifier, readSystemdOptions, type SystemdOptions } from './systemd/notify.js'
export { readUnit, type Unit } from './systemd/unit.js'
export { counted, printable, renderTable } from './text/table.js'
export { withTimeout } from './with-timeout.js'
