import { measureOf } from '@roost/api-types/checks'
import type { Severity } from '@roost/api-types/checks'
import type { AlertScope } from './scope.js'

export interface Silence {
  readonly id: number
  readonly clusterId: number | null
  readonly nodeId: number | null
  readonly deviceId: number | null
  readonly code: string | null
  readonly subject: string | null
  readonly untilWorse: boolean
  readonly startsMs: number
  readonly endsMs: number
}

/** How bad an alert was when a silence began to match it. */
export interface Mark {
  readonly severity: Severity
  readonly value: number | null
  /** It became worse since then: the silence counts for it no longer. */
  readonly isBroken: boolean
}

/** By the id of the silence. */
export type Marks = Readonly<Record<string, Mark>>

export interface SilenceableAlert {
  readonly clusterId: AlertScope
  readonly nodeId: number | null
  readonly deviceId: number | null
  readonly code: string
  /** The code of its check. */
  readonly problem: string
  readonly subject: string
  readonly severity: Severity
  readonly value: number | null
  readonly threshold: number | null
  readonly marks: Marks
  /** Unix milliseconds; null: its node is not in maintenance. */
  readonly maintenanceUntilMs: number | null
}

export interface Silenced {
  /** Unix milliseconds; null where it is not silent. */
  readonly untilMs: number | null
  readonly marks: Marks
}

/** A value moves a little all the time. */
const worseBy = 0.1
/** An age grows while the problem lasts: it is worse when it has doubled. */
const olderBy = 1

/** Decides until when an alert is silent: by the silence or the maintenance that ends last. */
export function silenceAlert(alert: SilenceableAlert, silences: readonly Silence[], nowMs: number): Silenced {
  const matching = silences.filter((one) => isActive(one, nowMs) && matches(one, alert))
  const marked = matching.map((silence) => [silence, markOf(silence, alert)] as const)
  const ends = marked.flatMap(([{ endsMs }, { isBroken }]) => (isBroken ? [] : [endsMs]))
  const { maintenanceUntilMs } = alert
  if (maintenanceUntilMs !== null && maintenanceUntilMs > nowMs) ends.push(maintenanceUntilMs)
  return {
    untilMs: ends.length === 0 ? null : Math.max(...ends),
    marks: Object.fromEntries(marked.map(([{ id }, mark]) => [id, mark])),
  }
}

function isActive({ startsMs, endsMs }: Silence, nowMs: number): boolean {
  return startsMs <= nowMs && nowMs < endsMs
}

function matches(silence: Silence, alert: SilenceableAlert): boolean {
  const fields = ['clusterId', 'nodeId', 'deviceId', 'code', 'subject'] as const
  return fields.every((field) => silence[field] === null || silence[field] === alert[field])
}

function markOf({ id, untilWorse }: Silence, alert: SilenceableAlert): Mark {
  const { severity, value } = alert
  const mark = alert.marks[id] ?? { severity, value, isBroken: false }
  return untilWorse && !mark.isBroken && isWorse(mark, alert) ? { ...mark, isBroken: true } : mark
}

function isWorse(mark: Mark, { problem, severity, value, threshold }: SilenceableAlert): boolean {
  if (severity === 'critical' && mark.severity === 'warning') return true
  if (value === null || mark.value === null) return false
  const change = value - mark.value
  // Below its limit, a smaller value is worse. The limit of before may have been another one.
  const isBelow = threshold !== null && value < threshold
  const by = measureOf(problem)?.isAge ? olderBy : worseBy
  return (isBelow ? -change : change) > Math.abs(mark.value) * by
}
