import { metricLimit, metricSubject } from '@roost/api-types/checks'
import type { Severity } from '@roost/api-types/checks'
import { idOfUri } from '@roost/api-types/rest'
import type { MetricService } from '@roost/api-types/rpc'
import type { OpenAlert } from './decide.js'
import type { JudgedScope, Reason } from './found.js'
import type { AlertScope } from './scope.js'

/** A limit that operators have set for metrics. */
export interface MetricRule {
  readonly name: string
  /** Null: all clusters. */
  readonly scope: AlertScope
  readonly level: 'node' | 'cluster'
  readonly metric: string
  readonly comparison: 'above' | 'below'
  readonly limit: number
  readonly endLimit: number
  readonly forSeconds: number
  readonly severity: Severity
}

/** A value now. */
interface Reading {
  /** Null: of the cluster. */
  readonly nodeId: number | null
  readonly metric: string
  readonly value: number
}

export interface MetricJudgement {
  readonly reasons: readonly Reason[]
  /** Whether an alert of a rule has ended if it is not among the reasons: a value that is missing does not end it. */
  readonly isKnown: (alert: Pick<OpenAlert, 'nodeId' | 'subject'>) => boolean
}

type Values = Pick<MetricService, 'across' | 'pollCluster'>

/** Alerts of one rule in one cluster: a pattern may match everything. */
const mostAlerts = 100

/** The control plane has no metrics. */
const noMetrics: MetricJudgement = { reasons: [], isKnown: () => true }

/** Compares the latest values of a cluster with the rules for it. */
export async function judgeMetrics(
  { id: clusterId, name, nodes }: JudgedScope,
  rules: readonly MetricRule[],
  open: readonly Pick<OpenAlert, 'problem' | 'nodeId' | 'subject'>[],
  values: Values,
): Promise<MetricJudgement> {
  if (clusterId === null) return noMetrics
  const hostnames = new Map(nodes.map(({ id, hostname }) => [id, hostname]))
  const begun = new Set(open.filter(({ problem }) => problem === metricLimit.code).map(keyOf))
  const read = new Set<string>()
  const reasons: Reason[] = []
  const counting = rules.filter(({ scope }) => scope === null || scope === clusterId)
  for (const rule of counting) {
    const { name: ruleName, forSeconds } = rule
    const found: Reason[] = []
    for (const { nodeId, metric, value } of await readingsOf(clusterId, rule, values)) {
      const key = keyOf({ nodeId, subject: metricSubject(ruleName, metric) })
      read.add(key)
      const of = nodeId === null ? name : (hostnames.get(nodeId) ?? `node ${nodeId}`)
      const facts = { ...rule, rule: ruleName, metric, of, value, hasBegun: begun.has(key) }
      const about = { nodeId, deviceId: null, since: null, forSeconds }
      found.push(...metricLimit.find(facts).map((problem) => ({ ...problem, ...about })))
    }
    reasons.push(...found.slice(0, mostAlerts))
  }
  const isOfRule = (subject: string) => counting.some((rule) => subject.startsWith(metricSubject(rule.name, '')))
  return {
    reasons,
    isKnown({ nodeId, subject }) {
      const isLeft = nodeId !== null && !hostnames.has(nodeId)
      return isLeft || !isOfRule(subject) || read.has(keyOf({ nodeId, subject }))
    },
  }
}

function keyOf({ nodeId, subject }: Pick<OpenAlert, 'nodeId' | 'subject'>): string {
  return `${nodeId ?? ''} ${subject}`
}

/** Reads the fresh values that a rule compares, by node and name. */
async function readingsOf(clusterId: number, { level, metric }: MetricRule, values: Values): Promise<Reading[]> {
  const readings: Reading[] = []
  const add = (nodeId: number | null, name: string, value: number | null) => {
    if (value !== null) readings.push({ nodeId, metric: name, value })
  }
  if (level === 'cluster') {
    const { metrics } = await values.pollCluster(clusterId, [metric])
    for (const sample of metrics) add(null, sample.metric_name, sample.value)
    return readings
  }
  for await (const slice of await values.across(clusterId, [metric]))
    for (const { node, metric_name: name, value } of slice) add(idOfUri('nodes', node) ?? 0, name, value)
  return readings
}
