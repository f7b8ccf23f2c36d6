import { listAll } from '../client/api.js'
import type { Rpc } from '../client/api.js'
import type { Described } from './documents.js'
import type { Lookups } from './lookups.js'
import { shareKey } from './records.js'
import type { commandOf } from './record-steps.js'
import { ruleKey } from './rules.js'
import type { Step } from './step.js'

/** Returns what identifies a described record, as the steps name it. */
export function keyOf(document: Described): string {
  return `${document.kind} ${nameIn(document)}`
}

function nameIn(document: Described): string {
  if (document.kind === 'node') return document.hostname
  if (document.kind === 'user') return `${document.cluster}/${document.user}`
  if (document.kind === 'share') return shareKey(document.node, document)
  if (document.kind === 'alert_rule') return ruleKey(document.cluster, document.code)
  return document.name
}

/** Plans the removal of what a set has made and its file no longer describes. */
export async function planRemovals(
  set: string,
  described: ReadonlySet<string>,
  { rpc, nameOf }: Lookups,
): Promise<readonly Step[]> {
  const filters = { set }
  const users = await listAll((range) => rpc.users.list.query({ ...range, filters }))
  const shares = await listAll((range) => rpc.gatewayShares.list.query({ ...range, filters }))
  const rules = await listAll((range) => rpc.alertRules.list.query({ ...range, filters }))
  const metricRules = await listAll((range) => rpc.alertMetricRules.list.query({ ...range, filters }))
  const receivers = await listAll((range) => rpc.alertReceivers.list.query({ ...range, filters }))
  const clusterName = async (uri: string | null) => (uri === null ? null : nameOf('clusters', uri))
  const removals = [
    ...shares.map(async (share) => removalOf('share', shareKey(await nameOf('nodes', share.node), share), share)),
    ...users.map(async (user) => removalOf('user', `${await nameOf('clusters', user.cluster)}/${user.user}`, user)),
    ...rules.map(async (rule) => removalOf('alert_rule', ruleKey(await clusterName(rule.cluster), rule.code), rule)),
    ...metricRules.map(async (rule) => removalOf('alert_metric_rule', rule.name, rule)),
    ...receivers.map(async (receiver) => removalOf('alert_receiver', receiver.name, receiver)),
  ]
  return (await Promise.all(removals)).filter(({ kind, name }) => !described.has(`${kind} ${name}`))
}

const remove = {
  share: (rpc, input) => rpc.gatewayShares.remove.mutate(input),
  user: (rpc, input) => rpc.users.remove.mutate(input),
  alert_rule: (rpc, input) => rpc.alertRules.remove.mutate(input),
  alert_metric_rule: (rpc, input) => rpc.alertMetricRules.remove.mutate(input),
  alert_receiver: (rpc, input) => rpc.alertReceivers.remove.mutate(input),
} as const satisfies Record<
  keyof typeof commandOf,
  (rpc: Rpc, input: { readonly id: number; readonly validate_only?: true }) => Promise<unknown>
>

function removalOf(kind: keyof typeof remove, name: string, { id }: { readonly id: number | string }): Step {
  return {
    action: 'remove',
    kind,
    name,
    changes: {},
    run: async (rpc, check) => void (await remove[kind](rpc, { id: Number(id), ...check })),
  }
}
