import type { Severity } from '@roost/api-types/checks'

/** A receiver, as far as it decides what is sent to it. */
export interface Audience {
  readonly id: number
  readonly leastSeverity: Severity
  readonly sendResolved: boolean
}

/** An alert that fires or is resolved. */
export interface ReportedAlert {
  readonly id: number
  readonly code: string
  readonly severity: Severity
  readonly isResolved: boolean
  /** It is acknowledged or silenced. */
  readonly isMuted: boolean
}

/** What a receiver was informed of, or will be by a delivery that waits. */
export interface Notice {
  readonly receiverId: number
  readonly alertId: number
  readonly severity: Severity
  readonly isResolved: boolean
}

export interface News extends Notice {
  readonly code: string
  /** False: it is only recorded that the alert has ended. */
  readonly isSent: boolean
}

/**
 * Returns what the receivers do not know yet: alerts that fire, those that have become critical, and the end of those that
 * they know of. An alert that is muted now is news when it is not muted any more.
 */
export function newsFor(
  receivers: readonly Audience[],
  alerts: readonly ReportedAlert[],
  notices: readonly Notice[],
): readonly News[] {
  const known = new Map(notices.map((notice) => [keyOf(notice.receiverId, notice.alertId), notice]))
  return receivers.flatMap((receiver) =>
    alerts.flatMap((alert) => newsOf(receiver, alert, known.get(keyOf(receiver.id, alert.id))) ?? []),
  )
}

function newsOf(receiver: Audience, alert: ReportedAlert, notice: Notice | undefined): News | undefined {
  const { id: receiverId, leastSeverity, sendResolved } = receiver
  const { id: alertId, code, severity, isResolved, isMuted } = alert
  const news = { receiverId, alertId, code, severity, isResolved }
  if (isResolved) return notice === undefined || notice.isResolved ? undefined : { ...news, isSent: sendResolved }
  if (isMuted || (leastSeverity === 'critical' && severity !== 'critical')) return undefined
  const isKnown = notice !== undefined && (notice.severity === 'critical' || severity === 'warning')
  return isKnown ? undefined : { ...news, isSent: true }
}

function keyOf(receiverId: number, alertId: number): string {
  return `${receiverId} ${alertId}`
}
