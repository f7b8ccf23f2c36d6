import type { AlertmanagerSettings } from '@roost/api-types/rest'
import { errorText, inParallel } from '@roost/runtime'
import { annotationsOf, labelsOf } from './message.js'
import type { MessageAlert } from './message.js'
import type { Reach } from './reach.js'
import { postJson } from './http-post.js'

/** An alert that is not repeated ends after this time: four repetitions may be lost. */
const validMs = 240_000
/** Of one request. */
const alertsAtOnce = 500
const instancesAtOnce = 10

export interface PostedAlert extends MessageAlert {
  readonly code: string
  readonly cluster: string
}

export interface AlertmanagerPost {
  readonly alerts: readonly PostedAlert[]
  readonly externalUrl: string
  readonly nowMs: number
}

/** Posts alerts to every instance: each must know of them by itself. Throws what any of them answered, after all were tried. */
export async function sendToAlertmanager(
  { urls, authorization, ca }: AlertmanagerSettings,
  { alerts, externalUrl, nowMs }: AlertmanagerPost,
  reach: Reach,
): Promise<void> {
  const bodies = alerts.map((alert) => ({
    labels: labelsOf(alert, alert),
    annotations: annotationsOf(alert.code, alert, externalUrl),
    startsAt: alert.firedAt,
    endsAt: alert.resolvedAt ?? new Date(nowMs + validMs).toISOString(),
    generatorURL: `${externalUrl}${alert.uri}`,
  }))
  const faults = await inParallel(urls, instancesAtOnce, async (url) => {
    for (let at = 0; at < bodies.length; at += alertsAtOnce) {
      const body = bodies.slice(at, at + alertsAtOnce)
      await postJson(reach, { url: `${url.replace(/\/$/, '')}/api/v2/alerts`, body, authorization, ca })
    }
  })
  if (faults.length > 0) throw new Error(faults.map(({ error }) => errorText(error)).join(' '))
}
