import { printable } from '@roost/runtime'
import { planCluster, planNode } from './clusters.js'
import type { Described, DescribedFile } from './documents.js'
import type { Faults } from './faults.js'
import type { Lookups } from './lookups.js'
import { planAlertReceiver } from './receivers.js'
import { planShare, planUser } from './records.js'
import { keyOf, planRemovals } from './removals.js'
import { planAlertMetricRule, planAlertRule } from './rules.js'
import type { Step } from './step.js'

/** Plans the writes that bring the cluster to what the files describe, in the order of their dependencies. */
export async function planFiles(
  files: readonly DescribedFile[],
  lookups: Lookups,
  faults: Faults,
  { prune }: { readonly prune: boolean },
): Promise<readonly Step[]> {
  const records = files.flatMap((file) => file.records)
  requireOneDocumentEach(records, faults)
  const planned = {
    cluster: await eachOf('cluster', records, (document) => planCluster(document, lookups, faults)),
    node: await eachOf('node', records, (document) => planNode(document, lookups, faults)),
    user: await eachOf('user', records, (document) => planUser(document, lookups, faults)),
    share: await eachOf('share', records, (document) => planShare(document, lookups, faults)),
    alert_rule: await eachOf('alert_rule', records, (document) => planAlertRule(document, lookups, faults)),
    alert_metric_rule: await eachOf('alert_metric_rule', records, (document) =>
      planAlertMetricRule(document, lookups, faults),
    ),
    alert_receiver: await eachOf('alert_receiver', records, (document) => planAlertReceiver(document, lookups, faults)),
  }
  const described = new Set(records.map(keyOf))
  const removals: Step[] = []
  for (const { set } of prune ? files : []) {
    if (set === undefined)
      faults.add('--prune needs a file that names its set. Begin the file with "set: NAME" and "---".')
    else removals.push(...(await planRemovals(set, described, lookups)))
  }
  return [...Object.values(planned).flat(), ...removals]
}

/** At once, so that the client sends the look-ups in batches. */
async function eachOf<K extends Described['kind']>(
  kind: K,
  records: readonly Described[],
  plan: (document: Described<K>) => Promise<readonly Step[]>,
): Promise<readonly Step[]> {
  const documents = records.filter((record): record is Described<K> => record.kind === kind)
  return (await Promise.all(documents.map(plan))).flat()
}

function requireOneDocumentEach(records: readonly Described[], faults: Faults): void {
  const first = new Map<string, string>()
  for (const record of records) {
    const key = keyOf(record)
    const before = first.get(key)
    if (before === undefined) first.set(key, record.at)
    else faults.add(`${record.at}: ${key} is also described at ${before}. Describe each record once.`)
  }
}

/** Returns a plan as text: each record with its fields before and after. */
export function describeSteps(steps: readonly Step[]): string {
  return steps.map(describeStep).join('')
}

function describeStep({ action, kind, name, changes }: Step): string {
  const lines = Object.entries(changes).map(([field, [before, after]]) =>
    action === 'create' ? `  ${field}: ${shown(after)}` : `  ${field}: ${shown(before)} -> ${shown(after)}`,
  )
  return [`${action} ${kind} ${name}`, ...lines].map((line) => `${printable(line)}\n`).join('')
}

function shown(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value)
}

/** Returns how many records a plan creates, changes and removes. */
export function countSteps(steps: readonly Step[]): string {
  const count = (action: Step['action']) => steps.filter((step) => step.action === action).length
  return `${count('create')} to create, ${count('change')} to change, ${count('remove')} to remove.`
}
