import { deviceFills, deviceFull, policyFills, policyUneven } from '@roost/api-types/checks'
import type { SetOutlook } from '../../capacity/outlook.js'
import type { FillingDevices, FullDevices } from './space-store.js'
import { ofNode } from './reasons.js'
import type { Reason } from './reasons.js'

/** How full the devices of a cluster are, and will be. */
export interface SpaceFacts {
  readonly fullDevices: readonly FullDevices[]
  readonly fillingDevices: readonly FillingDevices[]
  readonly outlooks: readonly SetOutlook[]
}

/** Judges the devices of each node. */
export function deviceSpaceReasons(
  { fullDevices, fillingDevices }: SpaceFacts,
  nameOf: (id: number) => string,
): readonly Reason[] {
  return [
    ...fullDevices.flatMap(({ nodeId, ...facts }) =>
      ofNode(nodeId, deviceFull.find({ node: nameOf(nodeId), ...facts })),
    ),
    ...fillingDevices.flatMap(({ nodeId, ...facts }) =>
      ofNode(nodeId, deviceFills.find({ node: nameOf(nodeId), ...facts })),
    ),
  ]
}

/** Judges the devices of each set of policies. */
export function policySpaceReasons({ outlooks }: SpaceFacts): readonly Reason[] {
  return outlooks.flatMap(({ ringSet, fullness, daysUntilFull }) => {
    if (fullness === null) return []
    const fills = daysUntilFull == null ? [] : policyFills.find({ ringSet, ...daysUntilFull, ...fullness })
    return ofNode(null, [...fills, ...policyUneven.find({ ringSet, ...fullness })])
  })
}

/** Returns whether the sets show that a problem of theirs has ended if it is not found: those without a value do not. */
export function isSpaceKnown(outlooks: readonly SetOutlook[], problem: string, subject: string): boolean {
  if (problem !== 'policy_fills' && problem !== 'policy_uneven') return true
  const outlook = outlooks.find(({ ringSet }) => ringSet === subject)
  if (outlook === undefined) return true
  return outlook.fullness !== null && (problem === 'policy_uneven' || outlook.daysUntilFull !== undefined)
}
