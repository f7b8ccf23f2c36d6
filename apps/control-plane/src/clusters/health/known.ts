import { idOfUri } from '@roost/api-types/rest'
import { isIdentityKnown } from './identity.js'
import { isSilent } from './judge.js'
import type { ClusterFacts } from './judge.js'
import { isSpaceKnown } from './space.js'

/** A problem that was found before. */
interface Former {
  /** The code of its check. */
  readonly problem: string
  readonly nodeId: number | null
  readonly subject: string
}

/** What the control plane knows without the agent. */
const withoutAgent = new Set(['node_silent', 'node_duplicate', 'node_needs_upgrade', 'role_waits'])

/** Returns whether the facts show that a problem has ended if it is not found: what is unknown is no proof. */
export function knownBy({ nodes, healths, outlooks, identity, skewOf }: ClusterFacts): (former: Former) => boolean {
  const states = new Map(nodes.map(({ id, state }) => [id, state]))
  const byNode = new Map(healths.map((health) => [idOfUri('nodes', health.node), health]))
  return ({ problem, nodeId, subject }) => {
    // Other problems of clusters are judged from what is stored.
    if (nodeId === null) return isSpaceKnown(outlooks, problem, subject) && isIdentityKnown(identity, problem)
    const state = states.get(nodeId)
    // A node that was removed has none.
    if (state === undefined || withoutAgent.has(problem)) return true
    if (isSilent(state)) return false
    if (problem === 'clock_skew') return skewOf(nodeId) !== null
    const health = byNode.get(nodeId)
    if (health === undefined) return true
    const { replication_age_seconds: ages, quarantined } = health
    if (problem === 'replication_old') return ages[subject.split('-')[0] as keyof typeof ages] !== null
    return problem !== 'quarantined' || quarantined.objects !== null
  }
}
