import type { AlertMetricRuleInput, AlertRuleInput } from '@roost/api-types/rest'
import { listAll } from '../client/api.js'
import type { Described } from './documents.js'
import type { Faults } from './faults.js'
import type { Lookups } from './lookups.js'
import { changeStep, created, needs, requireSet, scopeOf } from './record-steps.js'
import { differing } from './step.js'
import type { Step } from './step.js'

/** Plans what brings the rule for a code, in all clusters or in one, to its document. */
export async function planAlertRule(
  document: Described<'alert_rule'>,
  lookups: Lookups,
  faults: Faults,
): Promise<readonly Step[]> {
  const { kind, at: _at, folder: _folder, set, code, cluster, ...fields } = document
  const name = ruleKey(cluster, code)
  const filters = { code, ...(cluster !== null && { cluster__name: cluster }) }
  // The one for all clusters may stand behind those of many clusters.
  const ofCode = await listAll((range) => lookups.rpc.alertRules.list.query({ ...range, filters }))
  const present = ofCode.find((rule) => (rule.cluster === null) === (cluster === null))
  if (present !== undefined) {
    requireSet(document, `Rule '${name}'`, present.set, faults)
    return changeStep({ kind, name }, differing(fields, { ...present }), (rpc, change, check) =>
      rpc.alertRules.change.mutate({ id: present.id, change, ...check }),
    )
  }
  const run: Step['run'] = async (rpc, check) => {
    const input = { code, ...fields, set, cluster: await scopeOf(rpc, cluster) }
    await rpc.alertRules.create.mutate({ ...(input as AlertRuleInput), ...check })
    return undefined
  }
  return [{ action: 'create', kind, name, ...needs(cluster), changes: created({ ...fields, set }), run }]
}

/** Plans what brings a limit of a metric to its document. */
export async function planAlertMetricRule(
  document: Described<'alert_metric_rule'>,
  lookups: Lookups,
  faults: Faults,
): Promise<readonly Step[]> {
  const { kind, at, folder: _folder, set, name, cluster, level, ...fields } = document
  const [present] = (await lookups.rpc.alertMetricRules.list.query({ filters: { name } })).objects
  if (present !== undefined) {
    requireSet(document, `Rule '${name}'`, present.set, faults)
    const scope = present.cluster === null ? null : await lookups.nameOf('clusters', present.cluster)
    if (scope !== cluster || present.level !== level)
      faults.add(
        `${at}: A rule keeps its cluster and its level: '${name}' has cluster: ${scope} and level: ${present.level}. Remove it first, or use another name.`,
      )
    return changeStep({ kind, name }, differing(fields, { ...present }), (rpc, change, check) =>
      rpc.alertMetricRules.change.mutate({ id: present.id, change, ...check }),
    )
  }
  const run: Step['run'] = async (rpc, check) => {
    const input = { name, level, ...fields, set, cluster: await scopeOf(rpc, cluster) }
    await rpc.alertMetricRules.create.mutate({ ...(input as AlertMetricRuleInput), ...check })
    return undefined
  }
  const changes = created({ ...(cluster !== null && { cluster }), level, ...fields, set })
  return [{ action: 'create', kind, name, ...needs(cluster), changes, run }]
}

/** Returns a rule for a code as the steps and the commands name it. */
export function ruleKey(cluster: string | null, code: string): string {
  return cluster === null ? code : `${cluster}/${code}`
}
