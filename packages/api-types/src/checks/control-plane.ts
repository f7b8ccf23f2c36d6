import { check, levelOf } from './check.js'
import { certificateWarningSeconds, oldestBackupSeconds, secondControlPlaneSeconds } from './limits.js'
import { durationText } from './text.js'

interface CertificateFacts {
  /** Such as `server`, or the name of an authority. */
  readonly certificate: string
  readonly secondsLeft: number
  /** Roost issued it, and renews it by itself. */
  readonly isOwn: boolean
}

const certificateSecondsLimits = { warning: certificateWarningSeconds, critical: 3 * 86_400 } as const

export const certificateEnds = check({
  code: 'certificate_ends',
  severity: 'warning',
  about: 'control_plane',
  endangers: 'service',
  effect: 'When it has ended, neither agents nor operators connect to the control plane.',
  measure: { what: 'seconds until the certificate ends', isAge: true },
  judge({ certificate, secondsLeft, isOwn }: CertificateFacts) {
    if (secondsLeft > certificateWarningSeconds) return undefined
    const when = secondsLeft > 0 ? `ends in ${durationText(secondsLeft)}` : 'has ended'
    return {
      subject: certificate,
      ...levelOf(secondsLeft <= certificateSecondsLimits.critical, certificateSecondsLimits),
      value: Math.floor(secondsLeft),
      sentence: `The certificate ${certificate} of the control plane ${when}.`,
      remedy: isOwn
        ? 'Roost should have renewed it: look for errors in its log, and restart it.'
        : 'Renew it, and install it with `roost local set-certificate`.',
    }
  },
})

interface BackupFacts {
  /** `backup`, or `copy` for that on another machine. */
  readonly what: 'backup' | 'copy'
  /** Seconds since it was made; where none was, since there was something to back up. */
  readonly ageSeconds: number
  readonly isMade: boolean
}

const backupTexts = {
  backup: {
    name: 'backup of the control plane',
    remedy: 'Look at `journalctl -u roost-backup`, or make one with `roost local backup FILE`.',
  },
  copy: {
    name: 'copy of a backup on another machine',
    remedy: 'Look at `journalctl -u roost-backup`, and at the command in ROOST_BACKUP_COPY.',
  },
} as const

export const backupOld = check({
  code: 'backup_old',
  severity: 'warning',
  about: 'control_plane',
  endangers: 'data',
  effect: 'If its disk fails, users, shares, keys and history since the last backup are lost.',
  measure: { what: 'seconds since the last backup, or the last copy of one, was made', isAge: true },
  judge({ what, ageSeconds, isMade }: BackupFacts) {
    if (ageSeconds <= oldestBackupSeconds) return undefined
    const { name, remedy } = backupTexts[what]
    const age = durationText(ageSeconds)
    return {
      subject: what,
      value: Math.floor(ageSeconds),
      threshold: oldestBackupSeconds,
      sentence: isMade ? `The last ${name} is ${age} old.` : `No ${name} was made in ${age}.`,
      remedy,
    }
  },
})

interface DiskFacts {
  readonly directory: string
  readonly availableBytes: number
  /** Below it, its disk is nearly full. */
  readonly leastBytes: number
}

export const roostDisk = check({
  code: 'roost_disk',
  severity: 'warning',
  about: 'control_plane',
  endangers: 'service',
  effect:
    'When the disk is full, the control plane cannot store anything: it refuses changes, and its own database stops.',
  measure: { what: 'bytes that are left on the disk of the data directory' },
  alert: { forSeconds: 60 },
  judge({ directory, availableBytes, leastBytes }: DiskFacts) {
    const level = levelOf(availableBytes < leastBytes, { warning: 2 * leastBytes, critical: leastBytes })
    if (availableBytes >= level.threshold) return undefined
    return {
      subject: directory,
      ...level,
      value: availableBytes,
      sentence: `The disk of ${directory} has ${(availableBytes / 1e9).toFixed(1)} GB left.`,
      remedy: 'Free some space, move the data directory to a larger disk, or lower ROOST_HISTORY_MAX_GB.',
    }
  },
})

interface DatabaseFacts {
  /** Seconds of the last hour in which no query was answered. */
  readonly unavailableSeconds: number
}

const mostUnavailable = 60

/** It can begin only when the database answers again: alerts are in it. */
export const roostDatabase = check({
  code: 'roost_database',
  severity: 'warning',
  about: 'control_plane',
  endangers: 'service',
  effect: 'Meanwhile requests were refused, and no alert was found or sent.',
  measure: { what: 'seconds of the last hour in which the database did not answer' },
  judge({ unavailableSeconds }: DatabaseFacts) {
    if (unavailableSeconds < mostUnavailable) return undefined
    return {
      subject: 'database',
      value: Math.round(unavailableSeconds),
      threshold: mostUnavailable,
      sentence: `The database of the control plane did not answer for ${durationText(unavailableSeconds)} of the last hour.`,
      remedy: 'Look at the log of PostgreSQL, and at the disk, the network and the connections that it allows.',
    }
  },
})

interface HistoryFacts {
  /** Seconds since all means of five minutes and of an hour that were due had been made. */
  readonly levelsSeconds: number
  /** Age of the oldest window that waits for remote_write; null where nothing waits. */
  readonly unsentSeconds: number | null
  /** The disk is too full for more. */
  readonly isPaused: boolean
}

const latestLevels = 6 * 3_600
const latestUnsent = 3_600

export const historyLate = check({
  code: 'history_late',
  severity: 'warning',
  about: 'control_plane',
  endangers: 'upkeep',
  effect: 'Charts and forecasts have gaps, or end in the past; what agents cannot deliver in time is lost.',
  measure: {
    what: 'seconds since the history was complete, or since what waits for remote_write was stored',
    isAge: true,
  },
  alert: { forSeconds: 900 },
  judge({ levelsSeconds, unsentSeconds, isPaused }: HistoryFacts) {
    const subject = 'history'
    if (isPaused) {
      const sentence = 'No history is stored: less than a tenth of the disk of the database is left.'
      return { subject, sentence, remedy: 'Free some space, or lower ROOST_HISTORY_MAX_GB.' }
    }
    if (levelsSeconds > latestLevels) {
      const sentence = `The means of the history were not completed for ${durationText(levelsSeconds)}.`
      const remedy = 'Look for errors of the job "make the levels of the history" in the log.'
      return { subject, value: Math.floor(levelsSeconds), threshold: latestLevels, sentence, remedy }
    }
    if (unsentSeconds === null || unsentSeconds <= latestUnsent) return undefined
    const sentence = `The history is sent by remote_write ${durationText(unsentSeconds)} late.`
    const remedy = 'Check that the server of ROOST_REMOTE_WRITE_URL answers and accepts what is sent.'
    return { subject, value: Math.floor(unsentSeconds), threshold: latestUnsent, sentence, remedy }
  },
})

interface SecondFacts {
  /** Its process and machine. */
  readonly who: string
  /** When it was refused last, and how long ago that is. */
  readonly at: Date
  readonly agoSeconds: number
}

export const secondControlPlane = check({
  code: 'second_control_plane',
  severity: 'warning',
  about: 'control_plane',
  endangers: 'service',
  effect: 'When this control plane ends, the other one takes over, with its own configuration, address and version.',
  judge({ who, at, agoSeconds }: SecondFacts) {
    if (agoSeconds > secondControlPlaneSeconds) return undefined
    return {
      subject: 'database',
      sentence: `Another control plane (${who}) was kept off the database of this one at ${at.toISOString()}.`,
      remedy: 'Stop it, or set its DATABASE_URL to a database of its own.',
    }
  },
})
