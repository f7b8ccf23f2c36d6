import { asyncPending, quarantined, replicationOld } from './background-work.js'
import { deviceFills, policyFills, policyUneven } from './capacity.js'
import { endangered } from './check.js'
import type { AlertDefaults, Check, Measure, Severity } from './check.js'
import {
  partPowerIncrease,
  policiesDiffer,
  ringMismatch,
  ringShort,
  swiftConfMismatch,
  swiftVersionDiffers,
} from './cluster.js'
import {
  backupOld,
  certificateEnds,
  historyLate,
  roostDatabase,
  roostDisk,
  secondControlPlane,
} from './control-plane.js'
import { deploymentFailed, gatewayDrift } from './deployments.js'
import { deviceFull, deviceMissing, deviceUnmounted, policyDevicesUnavailable } from './devices.js'
import { dispersionLow, dispersionUnknown } from './dispersion.js'
import {
  dataDirNearlyFull,
  deviceFailed,
  diskHealth,
  duplicateUuid,
  filesystemErrors,
  mountStuck,
  networkFilesystem,
  sharedFilesystem,
} from './filesystems.js'
import { identityDrift, identityUnreachable } from './identity.js'
import { metricLimit } from './metric.js'
import { clockSkew, clusterSilent, nodeDuplicate, nodeNeedsUpgrade, nodeSilent, roleWaits } from './nodes.js'
import { proxyErrors } from './proxy.js'
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

type Entry = Pick<Check<never>, 'code' | 'severity' | 'about' | 'endangers' | 'effect' | 'measure' | 'alert'>

/** THE LIST: every problem of a node or of the control plane, and every reason of the health of a cluster is one of these. */
export const checks: readonly Entry[] = [
  // What the control plane judges.
  nodeSilent,
  clusterSilent,
  nodeDuplicate,
  nodeNeedsUpgrade,
  roleWaits,
  clockSkew,
  deviceUnmounted,
  deviceMissing,
  deviceFull,
  deviceFills,
  policyDevicesUnavailable,
  policyFills,
  policyUneven,
  gatewayDrift,
  deploymentFailed,
  identityDrift,
  identityUnreachable,
  ringMismatch,
  ringShort,
  partPowerIncrease,
  swiftConfMismatch,
  policiesDiffer,
  swiftVersionDiffers,
  replicationOld,
  quarantined,
  metricLimit,
  // What the control plane judges of itself.
  certificateEnds,
  backupOld,
  roostDisk,
  roostDatabase,
  historyLate,
  secondControlPlane,
  // What agents judge.
  serverDown,
  proxyErrors,
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
  diskHealth,
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

const entries = new Map(checks.map((entry) => [entry.code, entry]))

/** Returns the severity of a problem whose agent reported none. A newer agent may know codes that this list does not have. */
export function severityOf(code: string): Severity {
  return entries.get(code)?.severity ?? 'warning'
}

const alertsOf = new Map(checks.map(({ code, alert }) => [code, { code: code.toUpperCase(), forSeconds: 0, ...alert }]))

/** Returns the alert of a problem, also of one that only a newer agent knows. */
export function alertOf(problem: string): Required<AlertDefaults> {
  return alertsOf.get(problem) ?? { code: problem.toUpperCase(), forSeconds: 0 }
}

/** The codes of all alerts. */
export const alertCodes: readonly string[] = [...alertsOf.values()].map(({ code }) => code)

/** The codes of alerts of the control plane itself, which belong to no cluster. */
export const controlPlaneAlertCodes: ReadonlySet<string> = new Set(
  checks.flatMap(({ code, about }) => (about === 'control_plane' ? [alertOf(code).code] : [])),
)

/** Returns what a problem means for data or service; empty for one that only a newer agent knows. */
export function effectOf(problem: string): string {
  return entries.get(problem)?.effect ?? ''
}

/** Returns what the value and the threshold of a problem are; undefined where its check compares no number. */
export function measureOf(problem: string): Measure | undefined {
  return entries.get(problem)?.measure
}

/** Returns the urgency of a problem: 1 is the most urgent. Critical problems come first, then those that endanger data. */
export function rankOf(problem: string, severity: Severity): number {
  const entry = entries.get(problem)
  const least = endangered.length
  const position = entry === undefined ? least - 1 : endangered.indexOf(entry.endangers)
  return 1 + position + (severity === 'critical' ? 0 : least)
}
