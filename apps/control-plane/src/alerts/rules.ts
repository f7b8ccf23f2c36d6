import { rankOf } from '@roost/api-types/checks'
import type { Severity } from '@roost/api-types/checks'
import type { FoundAlert } from './decide.js'
import type { AlertScope } from './scope.js'

/** What operators have changed of the alerts of a code. */
export interface ChangedCode {
  readonly code: string
  /** Null: in all clusters, and of this control plane. */
  readonly scope: AlertScope
  readonly enabled: boolean
  /** Null: as the check says. */
  readonly severity: Severity | null
  readonly forSeconds: number | null
}

/** The rules that count for a cluster, or for this control plane. */
export interface RulesOfScope {
  /** Returns whether the problems of a code are no alerts. */
  readonly isOff: (code: string) => boolean
  /** Returns the alerts as operators have changed them; not those that are switched off. */
  readonly apply: (found: readonly FoundAlert[]) => readonly FoundAlert[]
}

/** Returns the rules of a scope: that of the cluster replaces the one for all. */
export function rulesOf(rules: readonly ChangedCode[], scope: AlertScope): RulesOfScope {
  const all = rules.filter((rule) => rule.scope === null)
  const own = scope === null ? [] : rules.filter((rule) => rule.scope === scope)
  const byCode = new Map([...all, ...own].map((rule) => [rule.code, rule]))
  const isOff = (code: string) => byCode.get(code)?.enabled === false
  return {
    isOff,
    apply: (found) => found.filter(({ code }) => !isOff(code)).map((alert) => changed(alert, byCode.get(alert.code))),
  }
}

function changed(alert: FoundAlert, rule: ChangedCode | undefined): FoundAlert {
  if (rule === undefined) return alert
  const severity = rule.severity ?? alert.severity
  const forMs = rule.forSeconds === null ? alert.forMs : rule.forSeconds * 1_000
  return { ...alert, severity, forMs, rank: rankOf(alert.problem, severity) }
}
