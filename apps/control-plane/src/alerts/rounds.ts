import { metricLimit } from '@roost/api-types/checks'
import type { Alert } from '@roost/api-types/rest'
import { decideAlerts } from './decide.js'
import type { OpenAlert } from './decide.js'
import { foundAlerts } from './found.js'
import type { JudgedScope } from './found.js'
import { judgeMetrics } from './metric-judge.js'
import type { MetricRuleStore } from './metric-rule-store.js'
import { rulesOf } from './rules.js'
import type { RuleStore } from './rule-store.js'
import { scopeName, scopeUri } from './scope.js'
import type { AlertStore } from './store.js'

export interface AlertRoundsOptions {
  readonly store: AlertStore
  readonly rules: Pick<RuleStore, 'listAll'>
  readonly metricRules: Pick<MetricRuleStore, 'listEnabled'>
  readonly values: () => Parameters<typeof judgeMetrics>[3]
  /** How long nothing may be concluded from silence after a start or an interruption, for so many nodes. */
  readonly settlingMs: (nodes: number) => number
  /** Unix milliseconds. */
  readonly now: () => number
}

export interface FiringAlert extends Alert {
  /** Empty: it is of this control plane. */
  readonly clusterName: string
}

export interface AlertRounds {
  /** Decides what becomes of the alerts of all clusters and of this control plane, after each round of their health. */
  run(judged: readonly JudgedScope[]): Promise<void>
  /** Returns the alerts that fire, or are unknown after they fired, as of the last round. */
  latest(): readonly FiringAlert[]
  /** Returns when the last round has ended, in Unix milliseconds. */
  evaluatedMs(): number
}

/** A longer pause between rounds: the control plane or its database did not work, or the clock was set. */
const interruptionMs = 120_000

export function createAlertRounds({
  store,
  rules,
  metricRules,
  values,
  settlingMs,
  now,
}: AlertRoundsOptions): AlertRounds {
  let latest: readonly FiringAlert[] = []
  let lastMs = Number.NEGATIVE_INFINITY
  let settledMs = 0
  return {
    async run(judged) {
      const nowMs = now()
      const nodes = judged.reduce((sum, scope) => sum + scope.nodes.length, 0)
      if (nowMs - lastMs > interruptionMs || nowMs < lastMs) settledMs = nowMs + settlingMs(nodes)
      const [changed, limits] = await Promise.all([rules.listAll(), metricRules.listEnabled()])
      for (const scope of judged) {
        const { apply, isOff } = rulesOf(changed, scope.id)
        const open = await store.listOpen(scope.id)
        const metrics = await judgeMetrics(scope, limits, open, values())
        const all = { ...scope, reasons: [...scope.reasons, ...metrics.reasons] }
        const found = apply(foundAlerts(all, open, nowMs < settledMs))
        // What is switched off ends, whether it lasts or not.
        const isKnown = (alert: OpenAlert) =>
          isOff(alert.code) || (alert.problem === metricLimit.code ? metrics : scope).isKnown(alert)
        const decision = decideAlerts(open, found, { nowMs, isKnown })
        await store.apply(scope.id, decision, new Date(nowMs))
      }
      lastMs = nowMs
      const names = new Map(judged.map((scope) => [scopeUri(scope.id), scopeName(scope)]))
      const open = await store.openOrResolvedSince(new Date(nowMs))
      latest = open
        .filter(({ state }) => state === 'firing' || state === 'unknown')
        .map((alert) => ({ ...alert, clusterName: names.get(alert.cluster) ?? '' }))
    },
    latest: () => latest,
    evaluatedMs: () => lastMs,
  }
}
