import { asyncPending, quarantined, replicationOld } from './background-work.js'
import type { AlertDefaults, Check, Severity } from './check.js'
import {
  partPowerIncrease,
  policiesDiffer,
  ringMismatch,
  ringShort,
  swiftConfMismatch,
  swiftVersionDiffers,
} from './cluster.js'
import { deviceMissing, deviceUnmounted, policyDevicesUnavailable } from './devices.js'
import { dispersionLow, dispersionUnknown } from './dispersion.js'
import {
  dataDirNearlyFull,
  deviceFailed,
  duplicateUuid,
  filesystemErrors,
  mountStuck,
  networkFilesystem,
  sharedFilesystem,
} from './filesystems.js'
import { clockSkew, clusterSilent, nodeDuplicate, nodeNeedsUpgrade, nodeSilent } from './nodes.js'
import { daemonLate, daemonRestarts, daemonStopped, reconStale, serverDown } from './services.js'
import {
  cacheNearlyFull,
  cacheOutOfSpace,
  cacheSmall,
  mountOutdated,
  shareNotUploaded,
  storageUnreachable,
} from './shares.js'
import {
  mountCheckOff,
  noOwnDevice,
  ringMissing,
  ringNameUnresolved,
  ringUnreadable,
  ringWithoutPolicy,
  swiftConfInvalid,
  swiftConfUnreadable,
  transferNotCounted,
} from './swift-files.js'

type Entry = Pick<Check<never>, 'code' | 'severity' | 'about' | 'alert'>

/** THE LIST: every problem of a node and every reason of the health of a cluster is one of these. */
export const checks: readonly Entry[] = [
  // What the control plane judges.
  nodeSilent,
  clusterSilent,
  nodeDuplicate,
  nodeNeedsUpgrade,
  clockSkew,
  deviceUnmounted,
  deviceMissing,
  policyDevicesUnavailable,
  ringMismatch,
  ringShort,
  partPowerIncrease,
  swiftConfMismatch,
  policiesDiffer,
  swiftVersionDiffers,
  replicationOld,
  quarantined,
  // What agents judge.
  serverDown,
  daemonStopped,
  daemonRestarts,
  daemonLate,
  reconStale,
  asyncPending,
  dispersionLow,
  dispersionUnknown,
  ringUnreadable,
  ringMissing,
  ringWithoutPolicy,
  swiftConfInvalid,
  swiftConfUnreadable,
  mountCheckOff,
  noOwnDevice,
  ringNameUnresolved,
  transferNotCounted,
  mountStuck,
  deviceFailed,
  networkFilesystem,
  filesystemErrors,
  sharedFilesystem,
  duplicateUuid,
  dataDirNearlyFull,
  storageUnreachable,
  mountOutdated,
  cacheSmall,
  cacheNearlyFull,
  cacheOutOfSpace,
  shareNotUploaded,
]

const severities = new Map(checks.map(({ code, severity }) => [code, severity]))

/** Returns the severity of a problem whose agent reported none. A newer agent may know codes that this list does not have. */
export function severityOf(code: string): Severity {
  return severities.get(code) ?? 'warning'
}

const alertsOf = new Map(checks.map(({ code, alert }) => [code, { code: code.toUpperCase(), forSeconds: 0, ...alert }]))

/** Returns the alert of a problem, also of one that only a newer agent knows. */
export function alertOf(problem: string): Required<AlertDefaults> {
  return alertsOf.get(problem) ?? { code: problem.toUpperCase(), forSeconds: 0 }
}

/** The codes of all alerts. */
export const alertCodes: readonly string[] = [...alertsOf.values()].map(({ code }) => code)
