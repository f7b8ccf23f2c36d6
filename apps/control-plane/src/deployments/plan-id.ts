import { createHash } from 'node:crypto'
import type { DeploymentPlan } from '@roost/api-types/agent'
import type { NodePlan } from '@roost/api-types/rest'
import type { BodyFingerprint } from '../secrets/body-fingerprint.js'

/**
 * Stands for what a node is to hold, and behind the point for what it would do to get there. Keyed, since the desired
 * state contains passwords that must not be guessed from it.
 */
export function planMark(mac: BodyFingerprint, nodeId: number, desired: string, plan: DeploymentPlan): string {
  const of = (text: string) => Buffer.from(mac.of(text)).toString('hex')
  return `${of(JSON.stringify([nodeId, desired]))}.${of(JSON.stringify(plan))}`
}

/** The name of the plans of all targets together. */
export function planId(marks: readonly string[]): string {
  return `p-${createHash('sha256').update(marks.toSorted().join('\n')).digest('hex').slice(0, 32)}`
}

/** A plan that an operator has reviewed, and that alone may be applied. */
export interface ReviewedPlan {
  readonly plan: NodePlan
  readonly mark: string
}

/** What has moved since the plan was reviewed, as a sentence; undefined while it still holds. */
export function movedSince(reviewed: ReviewedPlan, now: ReviewedPlan): string | undefined {
  if (reviewed.mark === now.mark) return undefined
  const again = 'Create a new plan with dry_run and review it.'
  const [desired] = reviewed.mark.split('.')
  if (!now.mark.startsWith(`${desired}.`))
    return `The desired state of this node was changed after its plan was reviewed. ${again}`
  const paths = differingPaths(reviewed.plan, now.plan)
  const what = paths.length === 0 ? 'the actions of its daemons' : paths.join(', ')
  return `The node was changed after its plan was reviewed (${what}). ${again}`
}

function differingPaths(one: NodePlan, other: NodePlan): readonly string[] {
  const [before, after] = [filesOf(one), filesOf(other)]
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted()
  return paths.filter((path) => before.get(path) !== after.get(path))
}

function filesOf({ files }: NodePlan): ReadonlyMap<string, string> {
  return new Map(files.map(({ path, change, diff }) => [path, `${change}\n${diff}`]))
}
