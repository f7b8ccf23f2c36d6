import { printable, renderTable } from './text/table.js'

/** The result of one check of a doctor command. */
export interface Finding {
  readonly check: string
  readonly verdict: 'ok' | 'warn' | 'fail'
  /** The state that was found; for a problem, also what to do. */
  readonly message: string
  /** A change of a file that solves the problem, as a unified diff. */
  readonly diff?: string
}

/** Renders findings as a table, or as JSON. */
export function renderFindings(findings: readonly Finding[], output: 'table' | 'json'): string {
  if (output === 'json') return `${JSON.stringify(findings, null, 2)}\n`
  const rows = findings.map(({ check, verdict, message }) => [check, verdict, message])
  return [renderTable(['CHECK', 'VERDICT', 'FINDING'], rows), ...findings.map(renderDiff)].join('')
}

function renderDiff({ diff = '' }: Finding): string {
  if (diff === '') return ''
  return `\n${diff.trimEnd().split('\n').map(printable).join('\n')}\n`
}

/** Returns how many checks failed, as a sentence; undefined when none did. */
export function failedChecks(findings: readonly Finding[]): string | undefined {
  const failed = findings.filter(({ verdict }) => verdict === 'fail').length
  return failed === 0 ? undefined : `${failed} of ${findings.length} checks failed.`
}
