import { faultsOf, NodeChange } from '@roost/api-types/rest'
import type { NodeRecord } from '../api/queries/nodes.js'
import type { Faults } from '../form/use-form.js'

/** The addresses of a node as their form has them: an empty text is no address, and other addresses are a list. */
export interface AddressValues {
  readonly cluster_facing_ip: string
  readonly outward_facing_ip: string
  readonly replication_facing_ip: string
  readonly other_ips: string
}

export function addressesOf(node: NodeRecord): AddressValues {
  return {
    cluster_facing_ip: node.cluster_facing_ip ?? '',
    outward_facing_ip: node.outward_facing_ip ?? '',
    replication_facing_ip: node.replication_facing_ip ?? '',
    other_ips: node.other_ips.join(', '),
  }
}

/** Returns the fields that differ: what an operator has set, the agent leaves alone from then on. */
export function addressChange(before: AddressValues, values: AddressValues): NodeChange {
  const single = ['cluster_facing_ip', 'outward_facing_ip', 'replication_facing_ip'] as const
  const changed = single.filter((name) => values[name].trim() !== before[name])
  return {
    ...Object.fromEntries(changed.map((name) => [name, values[name].trim() === '' ? null : values[name].trim()])),
    ...(values.other_ips.trim() !== before.other_ips && { other_ips: listIn(values.other_ips) }),
  }
}

export function checkAddresses(before: AddressValues, values: AddressValues): Faults {
  return faultsOf(NodeChange, addressChange(before, values))
}

function listIn(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean)
}
