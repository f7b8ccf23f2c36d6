import { check } from './check.js'
import { countText, durationText } from './text.js'

/** Rounds without an answer or a process: a server that restarts is no problem. */
const missedRounds = 2

interface ServerFacts {
  /** Such as `object-server`. */
  readonly server: string
  /** The file that configures it. */
  readonly file: string
  /** Such as `10.0.0.1:6200`. */
  readonly address: string
  /** Rounds in a row without an answer. */
  readonly missed: number
  /** Why it did not answer last. */
  readonly reason: string
}

export const serverDown = check({
  code: 'server_down',
  severity: 'critical',
  about: 'server',
  endangers: 'service',
  effect: 'Requests to this node fail or go to other nodes.',
  judge({ server, file, address, missed, reason }: ServerFacts) {
    if (missed < missedRounds) return undefined
    return {
      subject: `${server} ${address}`,
      sentence: `The ${server} of ${file} does not answer on ${address} (${reason}).`,
      remedy: `Start it (\`systemctl start swift-${server}\`), or remove its configuration or disable its unit if it does not run here.`,
    }
  },
})

interface DaemonFacts {
  /** Such as `object-updater`. */
  readonly daemon: string
  readonly file: string
}

/** Starts within ten minutes that are no operator's any more. */
const manyRestarts = 3

interface ProcessFacts extends DaemonFacts {
  /** Rounds in a row without a process of it, where it is expected to run. */
  readonly missed: number
  /** Starts within the last ten minutes. */
  readonly restarts: number
}

export const daemonRestarts = check({
  code: 'daemon_restarts',
  severity: 'warning',
  about: 'daemon',
  endangers: 'redundancy',
  effect: 'Its background work does not make progress.',
  measure: { what: 'starts within ten minutes' },
  judge({ daemon, file, restarts }: ProcessFacts) {
    if (restarts < manyRestarts) return undefined
    return {
      value: restarts,
      threshold: manyRestarts,
      subject: daemon,
      sentence: `swift-${daemon} with ${file} started ${restarts} times within ten minutes.`,
      remedy: 'Its log says why it ends.',
    }
  },
})

export const daemonStopped = check({
  code: 'daemon_stopped',
  severity: 'warning',
  about: 'daemon',
  endangers: 'redundancy',
  effect: 'Its background work is not done: copies, updates or deletions wait.',
  alert: { forSeconds: 300 },
  judge({ daemon, file, missed, restarts }: ProcessFacts) {
    if (missed < missedRounds || restarts >= manyRestarts) return undefined
    return {
      subject: daemon,
      sentence: `swift-${daemon} with ${file} does not run.`,
      remedy: `Start it (\`systemctl start swift-${daemon}\`), or remove its section from ${file} or disable its unit if it does not run on this node.`,
    }
  },
})

interface PassFacts extends DaemonFacts {
  /** Seconds since its last pass ended; null while unknown. */
  readonly passSeconds: number | null
  readonly intervalSeconds: number
  /** A pass of this kind may take so many seconds. */
  readonly longestPassSeconds: number
}

export const daemonLate = check({
  code: 'daemon_late',
  severity: 'warning',
  about: 'daemon',
  endangers: 'redundancy',
  effect: 'Its background work is slower than damage and changes may come.',
  measure: { what: 'seconds since the last pass ended', isAge: true },
  judge({ daemon, file, passSeconds, intervalSeconds, longestPassSeconds }: PassFacts) {
    const threshold = longestPassSeconds + 3 * intervalSeconds
    if (passSeconds === null || passSeconds <= threshold) return undefined
    return {
      value: Math.floor(passSeconds),
      threshold,
      subject: daemon,
      sentence: `swift-${daemon} with ${file} has completed no pass for ${durationText(passSeconds)}; its interval is ${durationText(intervalSeconds)}.`,
      remedy: 'Check its log, and whether a disk hangs.',
    }
  },
})

interface CacheFacts {
  readonly path: string
  /** Seconds since it was written; null while unknown. */
  readonly ageSeconds: number | null
  /** Daemons that write it and run. */
  readonly running: number
  /** Of these, the shortest interval. */
  readonly intervalSeconds: number
}

export const reconStale = check({
  code: 'recon_stale',
  severity: 'warning',
  about: 'file',
  endangers: 'upkeep',
  effect: 'Ages and counts of this node are old, and faults are seen late.',
  measure: { what: 'seconds since the cache was written', isAge: true },
  judge({ path, ageSeconds, running, intervalSeconds }: CacheFacts) {
    const threshold = Math.max(3_600, 3 * intervalSeconds)
    if (running === 0 || ageSeconds === null || ageSeconds <= threshold) return undefined
    return {
      value: Math.floor(ageSeconds),
      threshold,
      subject: path,
      sentence: `The recon cache ${path} was not written for ${durationText(ageSeconds)}, although ${countText(running, 'daemon')} that write it run: ages and counts of this node are old.`,
      remedy: 'Check that the account swift can write the folder, and the space of its disk.',
    }
  },
})
