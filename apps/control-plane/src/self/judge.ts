import {
  backupOld,
  certificateEnds,
  historyLate,
  roostDatabase,
  roostDisk,
  secondControlPlane,
} from '@roost/api-types/checks'
import type { Problem } from '@roost/api-types/checks'
import { nearlyFullBelow } from '@roost/runtime'
import type { DiskSpace } from '@roost/runtime'
import { dataDirBounds } from '../lifecycle/data-dir.js'
import type { DatedCertificate } from '../tls/certificates.js'
import type { RefusedStart } from './refused-starts.js'

/** When something was made last, in Unix milliseconds; where it never was, since when it could have been. */
export interface LastMade {
  readonly isMade: boolean
  readonly ms: number
}

/** The facts of this control plane that its checks judge. */
export interface OwnFacts {
  /** Unix milliseconds. */
  readonly nowMs: number
  readonly certificates: readonly DatedCertificate[]
  readonly areCertificatesOwn: boolean
  readonly backup: LastMade
  /** Null where no copies are made. */
  readonly copy: LastMade | null
  readonly dataDir: string
  /** Undefined while the disk cannot be read. */
  readonly space: DiskSpace | undefined
  /** The last control plane that was kept off the database; null where none is known. */
  readonly refusedStart: RefusedStart | null
  /** Since when such are known, in Unix milliseconds. */
  readonly heardSinceMs: number
  /** Of the last hour, in milliseconds. */
  readonly unavailableMs: number
  /** Null where it is off. */
  readonly history: {
    readonly levelsMadeMs: number
    readonly isPaused: boolean
    /** When the oldest window that waits for remote_write was stored; undefined where none waits. */
    readonly unsentMs: number | undefined
  } | null
}

/** Judges this control plane by the list of checks. */
export function judgeSelf(facts: OwnFacts): readonly Problem[] {
  const { nowMs, certificates, areCertificatesOwn: isOwn, backup, copy, dataDir, space, history } = facts
  const secondsSince = (ms: number) => (nowMs - ms) / 1_000
  const madeOf = (what: 'backup' | 'copy', { isMade, ms }: LastMade) =>
    backupOld.find({ what, isMade, ageSeconds: secondsSince(ms) })
  return [
    ...certificates.flatMap(({ name: certificate, endsMs }) =>
      certificateEnds.find({ certificate, secondsLeft: -secondsSince(endsMs), isOwn }),
    ),
    ...madeOf('backup', backup),
    ...(copy === null ? [] : madeOf('copy', copy)),
    ...(space === undefined
      ? []
      : roostDisk.find({
          directory: dataDir,
          availableBytes: space.availableBytes,
          leastBytes: nearlyFullBelow(space, dataDirBounds),
        })),
    ...secondControlPlaneOf(facts),
    ...roostDatabase.find({ unavailableSeconds: facts.unavailableMs / 1_000 }),
    ...(history === null
      ? []
      : historyLate.find({
          levelsSeconds: secondsSince(history.levelsMadeMs),
          unsentSeconds: history.unsentMs === undefined ? null : secondsSince(history.unsentMs),
          isPaused: history.isPaused,
        })),
  ]
}

function secondControlPlaneOf({ refusedStart, nowMs }: OwnFacts): readonly Problem[] {
  if (refusedStart === null) return []
  const { who, ms } = refusedStart
  return secondControlPlane.find({ who, at: new Date(ms), agoSeconds: (nowMs - ms) / 1_000 })
}
