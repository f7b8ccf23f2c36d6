import { alertCodes } from '@roost/api-types/checks'
import { alertPage } from '@roost/api-types/rest'
import { z } from 'zod'

/** An alert as it is sent. Times are ISO 8601. */
const MessageAlert = z.object({
  fingerprint: z.string(),
  severity: z.string(),
  node: z.string(),
  subject: z.string(),
  summary: z.string(),
  /** What to do; messages of before 0.3 have none. */
  remedy: z.string().default(''),
  uri: z.string(),
  firedAt: z.string(),
  resolvedAt: z.string().nullable(),
})
export type MessageAlert = z.infer<typeof MessageAlert>

/** The alerts of one code and cluster, or of the control plane (an empty name): the news first, then others that fire. */
export const Message = z.object({
  code: z.string(),
  cluster: z.string(),
  alerts: z.array(MessageAlert),
  /** Alerts that are not named. */
  omitted: z.int(),
  /** How many fire and are resolved, with those that are not named. */
  firing: z.int(),
  resolved: z.int(),
})
export type Message = z.infer<typeof Message>

/** What every way of sending needs of a message. */
export interface Envelope {
  readonly message: Message
  /** The name of the receiver. */
  readonly receiver: string
  /** The URL of this control plane. */
  readonly externalUrl: string
  /** Names the message: every attempt has the same. */
  readonly key: string
}

type Labels = Readonly<Record<string, string>>

/** Returns the labels by which receivers route alerts; those that are empty are left out. */
export function labelsOf({ code, cluster }: Pick<Message, 'code' | 'cluster'>, alert: MessageAlert): Labels {
  const { severity, node, subject } = alert
  return withoutEmpty({ alertname: code, cluster, node, severity, subject })
}

function withoutEmpty(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== ''))
}

/** Returns what a person reads: what is wrong, what to do, and the page of the code. Those that are empty are left out. */
export function annotationsOf(code: string, { summary, remedy }: MessageAlert, externalUrl: string): Labels {
  return withoutEmpty({ summary, description: remedy, runbook_url: pageOf(code, externalUrl) })
}

/** Returns the URL of the page of a code; empty where there is none, as of a test. */
export function pageOf(code: string, externalUrl: string): string {
  return alertCodes.includes(code) ? `${externalUrl}${alertPage(code)}` : ''
}

/** Alertmanager writes the zero time of Go where an alert has not ended. */
const notEnded = '0001-01-01T00:00:00Z'

/** Returns the body of Alertmanager's webhook, version 4. */
export function webhookBody({ message, receiver, externalUrl }: Envelope): object {
  const alerts = message.alerts.map((alert) => ({
    status: alert.resolvedAt === null ? 'firing' : 'resolved',
    labels: labelsOf(message, alert),
    annotations: annotationsOf(message.code, alert, externalUrl),
    startsAt: alert.firedAt,
    endsAt: alert.resolvedAt ?? notEnded,
    generatorURL: `${externalUrl}${alert.uri}`,
    fingerprint: alert.fingerprint,
  }))
  const group = withoutEmpty({ alertname: message.code, cluster: message.cluster })
  return {
    version: '4',
    groupKey: `{}:{${Object.entries(group)
      .map(([label, value]) => `${label}=${JSON.stringify(value)}`)
      .join(', ')}}`,
    truncatedAlerts: message.omitted,
    status: message.firing > 0 ? 'firing' : 'resolved',
    receiver,
    groupLabels: group,
    commonLabels: common(alerts.map(({ labels }) => labels)),
    commonAnnotations: common(alerts.map(({ annotations }) => annotations)),
    externalURL: externalUrl,
    alerts,
  }
}

/** Returns the labels that all have with the same value. */
function common(all: readonly Labels[]): Labels {
  const [first = {}, ...others] = all
  return Object.fromEntries(
    Object.entries(first).filter(([name, value]) => others.every((labels) => labels[name] === value)),
  )
}
