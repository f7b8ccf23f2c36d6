import { createHash } from 'node:crypto'
import type { DeploymentPlan } from '@roost/api-types/agent'
import type { BodyMac } from '../body-mac.js'

/**
 * Stands for what a node is to hold and for what it would do to get there. Keyed, since the desired state holds passwords
 * that nobody may try out on it.
 */
export function planMark(mac: BodyMac, nodeId: number, desired: string, plan: DeploymentPlan): string {
  return Buffer.from(mac.of(JSON.stringify([nodeId, desired, plan]))).toString('hex')
}

/** The name of the plans of all targets together. */
export function planId(marks: readonly string[]): string {
  return `p-${createHash('sha256').update(marks.toSorted().join('\n')).digest('hex').slice(0, 32)}`
}
