import { escapeLabel } from './device-lines.js'

/** An alert that fires. */
interface Firing {
  readonly code: string
  readonly severity: string
  readonly clusterName: string
  readonly hostname: string
  readonly subject: string
  readonly silenced: boolean
}

/** A scrape stays small when everything fails. */
const mostAlerts = 10_000

/** The alerts that fire, as text. */
export function alertLines(alerts: readonly Firing[]): string {
  const lines = alerts.slice(0, mostAlerts).map(({ code, severity, clusterName, hostname, subject, silenced }) => {
    const named = { code, severity, cluster: clusterName, node: hostname, subject, silenced: String(silenced) }
    const labels = Object.entries(named)
    return `roost_alert{${labels.map(([label, value]) => `${label}="${escapeLabel(value)}"`).join(',')}} 1\n`
  })
  const head = '# HELP roost_alert An alert that fires; always 1\n# TYPE roost_alert gauge\n'
  return `${head}${[...new Set(lines)].join('')}`
}
