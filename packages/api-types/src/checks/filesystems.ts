import { check } from './check.js'
import { replicasUnavailable } from './devices.js'

interface MountFacts {
  readonly mountPoint: string
  /** What the probe of the mount answered. */
  readonly message: string
}

const checkDisk = "Check the disk's kernel messages (dmesg)."

const probeFailure = ({ mountPoint, message }: MountFacts) => ({
  subject: mountPoint,
  sentence: `${message}.`,
  remedy: checkDisk,
})

export const mountStuck = check({
  code: 'mount_stuck',
  severity: 'warning',
  about: 'filesystem',
  endangers: 'service',
  effect: 'Requests for data on it hang.',
  alert: { forSeconds: 300 },
  judge: probeFailure,
})

export const deviceFailed = check({
  code: 'device_failed',
  ...replicasUnavailable,
  about: 'filesystem',
  judge: probeFailure,
})

export const networkFilesystem = check({
  code: 'network_filesystem',
  severity: 'critical',
  about: 'filesystem',
  endangers: 'upkeep',
  effect: 'The agent does not check this filesystem, and Swift is not made for it.',
  judge: ({ mountPoint, fsType }: { readonly mountPoint: string; readonly fsType: string }) => ({
    subject: mountPoint,
    sentence: `${mountPoint} is a network filesystem (${fsType}), which the agent does not check.`,
    remedy: 'Declare a local filesystem instead.',
  }),
})

interface RecordedFacts {
  readonly mountPoint: string
  readonly source: string
  readonly count: number
  /** The filesystem recorded them since it was mounted. */
  readonly isNow: boolean
}

export const filesystemErrors = check({
  code: 'filesystem_errors',
  severity: 'warning',
  about: 'filesystem',
  endangers: 'redundancy',
  effect: 'Files on it may be damaged, and the disk may fail soon.',
  measure: { what: 'errors on record' },
  alert: { code: 'DEVICE_ERRORS', forSeconds: 0 },
  judge({ mountPoint, source, count, isNow }: RecordedFacts) {
    if (count === 0) return undefined
    const when = isNow ? 'since it was mounted' : 'before it was mounted'
    return {
      value: count,
      threshold: 0,
      subject: mountPoint,
      sentence: `The filesystem at ${mountPoint} recorded ${count === 1 ? '1 error' : `${count} errors`} ${when}.`,
      remedy: `Unmount it and run e2fsck -f ${source}.`,
    }
  },
})

export const sharedFilesystem = check({
  code: 'shared_filesystem',
  severity: 'warning',
  about: 'device',
  endangers: 'upkeep',
  effect: 'The capacity of the cluster is counted too high.',
  judge({ names }: { readonly names: readonly string[] }) {
    if (names.length < 2) return undefined
    return {
      subject: names.join(', '),
      sentence: `${names.join(' and ')} are on the same filesystem, whose capacity is counted for each of them.`,
      remedy: 'Use a separate filesystem for each device.',
    }
  },
})

export const duplicateUuid = check({
  code: 'duplicate_fs_uuid',
  severity: 'warning',
  about: 'filesystem',
  endangers: 'upkeep',
  effect: 'One of the two filesystems may be mounted or counted instead of the other.',
  judge({ uuid, sources }: { readonly uuid: string; readonly sources: readonly string[] }) {
    if (sources.length < 2) return undefined
    return {
      subject: uuid,
      sentence: `${sources.join(' and ')} have the same filesystem UUID, as after a clone:`,
      remedy: 'give one of them a new UUID (xfs_admin -U generate, tune2fs -U random).',
    }
  },
})

interface DataDirFacts {
  readonly dataDir: string
  readonly availableBytes: number
  readonly leastBytes: number
}

export const dataDirNearlyFull = check({
  code: 'data_dir_nearly_full',
  severity: 'critical',
  about: 'directory',
  endangers: 'upkeep',
  effect: 'Reports that wait for the control plane are lost, and deployments fail.',
  measure: { what: 'bytes that are left' },
  judge: ({ dataDir, availableBytes, leastBytes }: DataDirFacts) => ({
    value: availableBytes,
    threshold: leastBytes,
    subject: dataDir,
    sentence: `The disk of ${dataDir} has only ${Math.floor(availableBytes / 1e6)} MB left. When it is full, reports that wait for the control plane are lost and deployments fail.`,
    remedy: 'Remove other files from this disk, or enlarge it.',
  }),
})

interface DiskFacts {
  /** Such as `sda`. */
  readonly disk: string
  /** What the disk says of itself; undefined where it says nothing. */
  readonly passed: boolean | undefined
  /** Wear of flash memory in percent of what its maker expects; NaN while unknown. */
  readonly usedPercent: number
}

const mostUsedPercent = 90

export const diskHealth = check({
  code: 'disk_health',
  severity: 'warning',
  about: 'device',
  endangers: 'redundancy',
  effect: 'A disk may soon lose its data, of which the cluster has other copies.',
  measure: { what: 'percent of the wear that the maker of the disk expects' },
  judge({ disk, passed, usedPercent }: DiskFacts) {
    const subject = `/dev/${disk}`
    const remedy = `Replace the disk: \`smartctl -x ${subject}\` has the details.`
    if (passed === false)
      return { subject, severity: 'critical', sentence: `The disk ${subject} says that it fails.`, remedy }
    if (Number.isNaN(usedPercent) || usedPercent < mostUsedPercent) return undefined
    return {
      value: usedPercent,
      threshold: mostUsedPercent,
      subject,
      sentence: `${usedPercent} % of the life of the disk ${subject} are used.`,
      remedy,
    }
  },
})
