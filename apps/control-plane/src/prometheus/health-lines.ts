import { escapeLabel } from './device-lines.js'

/** The health of a cluster, as it was judged last. */
interface Health {
  readonly cluster: string
  readonly verdict: 'ok' | 'warn' | 'critical'
  readonly reasons: readonly {
    readonly code: string
    readonly severity: string
    readonly subject: string
    readonly node: string | null
  }[]
}

const values = { ok: 0, warn: 1, critical: 2 } as const
/** Series of one cluster: a scrape stays small when a complete cluster fails. */
const mostReasons = 1_000

/** The verdicts of clusters, and the problems that the checks found, as text. */
export function healthLines(clusters: readonly Health[]): string {
  const verdicts = clusters.map(
    ({ cluster, verdict }) => `roost_cluster_health${labels({ cluster })} ${values[verdict]}\n`,
  )
  const reasons = clusters.flatMap(({ cluster, reasons: found }) => [
    ...new Set(
      found
        .slice(0, mostReasons)
        .map(
          ({ code, severity, subject, node }) =>
            `roost_check${labels({ code, severity, cluster, node: node ?? '', subject })} 1\n`,
        ),
    ),
  ])
  return [
    '# HELP roost_cluster_health Health of a cluster: 0 is ok, 1 is warn, 2 is critical\n# TYPE roost_cluster_health gauge\n',
    ...verdicts,
    '# HELP roost_check A problem that a check found; always 1\n# TYPE roost_check gauge\n',
    ...reasons,
  ].join('')
}

function labels(pairs: Readonly<Record<string, string>>): string {
  return `{${Object.entries(pairs)
    .map(([label, value]) => `${label}="${escapeLabel(value)}"`)
    .join(',')}}`
}
