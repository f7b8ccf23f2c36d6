import { isIP } from 'node:net'
import type { EmailSettings } from '@roost/api-types/rest'
import { createTransport } from 'nodemailer'
import { pageOf } from './message.js'
import type { Envelope, MessageAlert } from './message.js'
import type { Reach } from './reach.js'

/** Of each step: servers that delay unknown clients do so for seconds. */
const timeoutMs = 20_000
/** Of all steps. */
const totalTimeoutMs = 60_000

/** Sends a message as text. Every attempt has the same Message-ID, by which mail servers recognize a copy. */
export async function sendByEmail(settings: EmailSettings, envelope: Envelope, reach: Reach): Promise<void> {
  const { host, port, security, user, password, from, to, ca } = settings
  const address = await reach.addressOf(host)
  const transport = createTransport({
    host: address,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    // The certificate is of the name, which was resolved before.
    tls: { ...(isIP(host) === 0 && { servername: host }), ...(ca !== undefined && { ca }) },
    ...(user !== undefined && password !== undefined && { auth: { user, pass: password } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const timer = setTimeout(() => transport.close(), totalTimeoutMs)
  try {
    const { rejected } = await transport.sendMail({
      from,
      to,
      subject: subjectOf(envelope),
      text: textOf(envelope),
      messageId: `<${Buffer.from(envelope.key).toString('base64url')}@roost>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
    if (rejected.length > 0) throw new Error(`${host} accepted it, but not for ${rejected.map(String).join(', ')}.`)
  } finally {
    clearTimeout(timer)
    transport.close()
  }
}

function subjectOf({ message }: Envelope): string {
  const { code, cluster, firing, resolved } = message
  const counts = [firing > 0 ? `${firing} firing` : '', resolved > 0 ? `${resolved} resolved` : '']
  return `[Roost] ${cluster === '' ? 'control plane' : cluster}: ${code}, ${counts.filter(Boolean).join(', ')}`
}

function textOf({ message, externalUrl }: Envelope): string {
  const { code, alerts, omitted } = message
  const page = pageOf(code, externalUrl)
  const more = [
    ...(omitted === 0 ? [] : [`${omitted} more of this code are not listed.`]),
    ...(page === '' ? [] : [`What it means and what to do: ${page}`]),
  ]
  return [...alerts.map((alert) => paragraphOf(alert, externalUrl)), ...more].join('\n\n').concat('\n')
}

function paragraphOf(alert: MessageAlert, externalUrl: string): string {
  const { severity, node, subject, summary, remedy, firedAt, resolvedAt, uri } = alert
  const about = node === '' || node === subject ? subject : `${subject} of ${node}`
  const state = resolvedAt === null ? `${severity} since ${firedAt}` : `resolved at ${resolvedAt}, since ${firedAt}`
  const advice = resolvedAt === null && remedy !== '' ? `${summary} ${remedy}` : summary
  return `${about}: ${state}\n${advice}\n${externalUrl}${uri}`
}
