import type { Severity } from '@roost/api-types/checks'

/** A problem that a round has found. */
export interface FoundAlert {
  readonly fingerprint: string
  readonly code: string
  readonly problem: string
  readonly severity: Severity
  readonly nodeId: number | null
  readonly hostname: string
  readonly deviceId: number | null
  readonly subject: string
  /** What is wrong. */
  readonly summary: string
  /** What to do; empty where only the summary says it. */
  readonly remedy: string
  /** Its urgency: 1 is the most urgent. */
  readonly rank: number
  readonly value: number | null
  readonly threshold: number | null
  /** For how long it must last before it fires. */
  readonly forMs: number
  /** Unix milliseconds of the fact that began it; null: when it was found. */
  readonly sinceMs: number | null
}

export type OpenState = 'pending' | 'firing' | 'unknown'

/** An alert that is not resolved. */
export interface OpenAlert extends Omit<FoundAlert, 'forMs' | 'sinceMs'> {
  readonly id: number
  readonly state: OpenState
  /** Rounds in a row that did not find it. */
  readonly goodRounds: number
  /** Unix milliseconds. */
  readonly startedMs: number
  /** Null while it is pending. */
  readonly firedMs: number | null
}

export interface NextAlert extends Omit<OpenAlert, 'id' | 'state'> {
  readonly state: OpenState | 'resolved'
  /** Whether its state or severity is another one. */
  readonly isChanged: boolean
}

/** What a round changes. */
export interface Decision {
  readonly begin: readonly NextAlert[]
  readonly update: readonly (NextAlert & Pick<OpenAlert, 'id'>)[]
  /** Pending ones that ended before they fired. */
  readonly forget: readonly number[]
}

export interface Round {
  readonly nowMs: number
  /** Whether an alert that was not found has ended; false where there is no value. */
  readonly isKnown: (alert: OpenAlert) => boolean
}

/** A value that moves around its limit ends no alert: it must be good in as many rounds in a row. */
const goodRoundsToResolve = 2

/** Decides what becomes of the alerts of a cluster. */
export function decideAlerts(open: readonly OpenAlert[], found: readonly FoundAlert[], round: Round): Decision {
  const byKey = new Map(found.map((one) => [one.fingerprint, one]))
  const known = new Set(open.map(({ fingerprint }) => fingerprint))
  const decided = open.map((alert) => [alert, nextOf(alert, byKey.get(alert.fingerprint), round)] as const)
  return {
    begin: [...byKey.values()].filter(({ fingerprint }) => !known.has(fingerprint)).map((one) => begin(one, round)),
    update: decided.flatMap(([alert, next]) =>
      next === undefined || isSame(alert, next) ? [] : [{ ...next, id: alert.id }],
    ),
    forget: decided.flatMap(([{ id }, next]) => (next === undefined ? [id] : [])),
  }
}

function begin({ forMs, sinceMs, ...found }: FoundAlert, { nowMs }: Round): NextAlert {
  const startedMs = sinceMs === null ? nowMs : Math.min(sinceMs, nowMs)
  const fires = nowMs - startedMs >= forMs
  const state = fires ? ('firing' as const) : ('pending' as const)
  return { ...found, startedMs, goodRounds: 0, state, firedMs: fires ? nowMs : null, isChanged: true }
}

function nextOf(alert: OpenAlert, found: FoundAlert | undefined, round: Round): NextAlert | undefined {
  if (found !== undefined) return lasting(alert, found, round)
  if (!round.isKnown(alert)) {
    const state = alert.state === 'pending' ? 'pending' : 'unknown'
    return { ...alert, state, goodRounds: 0, isChanged: state !== alert.state }
  }
  if (alert.state === 'pending') return undefined
  const goodRounds = alert.goodRounds + 1
  if (goodRounds < goodRoundsToResolve) return { ...alert, goodRounds, isChanged: false }
  return { ...alert, goodRounds, state: 'resolved', isChanged: true }
}

function lasting(alert: OpenAlert, found: FoundAlert, { nowMs }: Round): NextAlert {
  const { startedMs, firedMs } = alert
  const { severity, summary, remedy, rank, threshold, forMs } = found
  const fires = firedMs !== null || nowMs - startedMs >= forMs
  const state = fires ? 'firing' : 'pending'
  const isChanged = state !== alert.state || severity !== alert.severity
  // With another limit the value is written too, so that both are of one moment.
  const isSameLimit = severity === alert.severity && threshold === alert.threshold
  const value = isSameLimit && isNear(alert.value, found.value) ? alert.value : found.value
  const now = { severity, summary, remedy, rank, value, threshold, goodRounds: 0 }
  return { ...alert, ...now, state, firedMs: firedMs ?? (fires ? nowMs : null), isChanged }
}

/** Ages change in each round: a value that moved by less than a hundredth is not written. */
const leastMove = 0.01

function isNear(before: number | null, now: number | null): boolean {
  return before !== null && now !== null && Math.abs(now - before) < Math.abs(before) * leastMove
}

/** Whether there is nothing to write. */
function isSame(before: OpenAlert, next: NextAlert): boolean {
  return (
    !next.isChanged &&
    before.goodRounds === next.goodRounds &&
    before.summary === next.summary &&
    before.remedy === next.remedy &&
    before.rank === next.rank &&
    before.value === next.value &&
    before.threshold === next.threshold
  )
}
