import { idOfUri, resourceUri } from '@roost/api-types/rest'
import type { ClusterHealth, ExplainedPart, Explanation, LeftOutPart, NodeHealth } from '@roost/api-types/rest'
import { readTime, withParts } from '../../services/explanation.js'
import { healthMetrics } from './metrics.js'
import type { Samples } from './metrics.js'
import type { JudgedNode } from './store.js'

interface HealthFacts {
  readonly nodes: readonly JudgedNode[]
  readonly samples: ReadonlyMap<number, Samples>
}

/** A number of the health that is made of one value of each node. */
interface Field {
  readonly name: string
  readonly metric: string
  readonly valueOf: (health: NodeHealth) => number | null
  readonly of: (health: ClusterHealth) => number | null
  readonly rule: string
}

const sumRule = 'Sum of the values that the nodes with a ring have read within three report intervals.'
const ageRule =
  'Largest age of the last pass of the nodes with a ring: the age when it was read, and the time since then.'
const servers = ['account', 'container', 'object'] as const
const quarantinedItems = ['accounts', 'containers', 'objects'] as const

const fields: readonly Field[] = [
  {
    name: 'async_pending',
    metric: healthMetrics.asyncPending,
    valueOf: ({ async_pending: value }) => value,
    of: ({ async_pending: value }) => value,
    rule: sumRule,
  },
  ...servers.map((server) => ({
    name: `oldest_replication.${server}`,
    metric: healthMetrics[server],
    valueOf: ({ replication_age_seconds: ages }: NodeHealth) => ages[server],
    of: ({ oldest_replication: oldest }: ClusterHealth) => oldest[server]?.age_seconds ?? null,
    rule: ageRule,
  })),
  ...quarantinedItems.map((items) => ({
    name: `quarantined.${items}`,
    metric: healthMetrics[items],
    valueOf: ({ quarantined }: NodeHealth) => quarantined[items],
    of: ({ quarantined }: ClusterHealth) => quarantined[items],
    rule: sumRule,
  })),
]

/** Explains the verdict, each of its reasons by code, and the numbers that are made of values of the nodes. */
export function explainHealth(health: ClusterHealth, { nodes, samples }: HealthFacts): readonly Explanation[] {
  const heard = new Map(nodes.map(({ id, lastSeen }) => [resourceUri('nodes', id), lastSeen?.toISOString() ?? null]))
  return [
    explainVerdict(health, nodes, heard),
    ...[...new Set(health.reasons.map(({ code }) => code))].map((code) => explainCode(health, code, heard)),
    ...fields.map((field) => explainField(field, health, samples)),
  ]
}

type LastSeen = ReadonlyMap<string, string | null>

function explainVerdict(health: ClusterHealth, nodes: readonly JudgedNode[], heard: LastSeen): Explanation {
  const silent = new Set(
    health.reasons.flatMap(({ code, node }) => (code === 'node_silent' && node !== null ? [node] : [])),
  )
  const parts = nodes.map(({ id }): ExplainedPart => {
    const node = resourceUri('nodes', id)
    const reasons = health.reasons.filter((reason) => reason.node === node).length
    return { node, device: null, name: '', values: { reasons }, read: heard.get(node) ?? null }
  })
  const isSilent = ({ node }: ExplainedPart) => node !== null && silent.has(node)
  const critical = health.reasons.filter(({ severity }) => severity === 'critical').length
  return withParts(
    {
      name: 'verdict',
      values: { reasons: health.reason_count, critical },
      rule:
        `${health.verdict}: critical if one of the reasons is, warn if there are others, ok without any. ` +
        'Of a node that is silent, only its silence is a reason: what it reported before is left out.',
    },
    {
      counted: parts.filter((part) => !isSilent(part)),
      leftOut: parts.filter(isSilent).map((part): LeftOutPart => ({ ...part, reason: 'offline' })),
    },
  )
}

function explainCode(health: ClusterHealth, code: string, heard: LastSeen): Explanation {
  const reasons = health.reasons.filter((reason) => reason.code === code)
  const counted = reasons.map(({ node, device, subject }): ExplainedPart => ({
    node,
    device,
    name: subject,
    values: {},
    read: node === null ? null : (heard.get(node) ?? null),
  }))
  const values = { reasons: reasons.length }
  const rule = `The check ${code} of docs/checks.md. Its last problem: ${reasons.at(-1)?.message ?? ''}`
  return withParts({ name: code, values, rule }, { counted, leftOut: [] })
}

function explainField(
  { name, metric, valueOf, of, rule }: Field,
  health: ClusterHealth,
  samples: HealthFacts['samples'],
) {
  const counted: ExplainedPart[] = []
  const leftOut: LeftOutPart[] = []
  for (const node of health.nodes) {
    const value = valueOf(node)
    const sample = samples.get(idOfUri('nodes', node.node) ?? 0)?.get(metric)
    const part = { node: node.node, device: null, name: '', read: readTime(sample?.time ?? null) }
    if (value !== null) counted.push({ ...part, values: { value } })
    else leftOut.push({ ...part, values: {}, reason: node.state === 'online' ? 'no_value' : 'offline' })
  }
  return withParts({ name, values: { value: of(health) }, rule }, { counted, leftOut })
}
