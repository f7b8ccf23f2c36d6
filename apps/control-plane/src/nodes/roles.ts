import { GrantableRole, waitingRoles } from '@roost/api-types/rest'
import type { Node, NodeChange } from '@roost/api-types/rest'

/** Returns the roles of a node that an operator has granted after this change. */
export function grantedAfter(
  { node_role: present, roles_granted: before }: Pick<Node, 'node_role' | 'roles_granted'>,
  { node_role: asked = {} }: NodeChange,
): readonly GrantableRole[] {
  // A client that sends a complete record back changes another field: it must not approve what the node claims.
  const isCopy = asked.id !== undefined
  return GrantableRole.options.filter((role) => {
    const flag = asked[role]
    return flag === undefined || (isCopy && flag === present[role]) ? before.includes(role) : flag
  })
}

/** Returns what waits for an operator; null if nothing does. */
export function stateDetail(node: Pick<Node, 'hostname' | 'node_role' | 'roles_granted'>): string | null {
  const waiting = waitingRoles(node.node_role, node.roles_granted)
  if (waiting.length === 0) return null
  const roles = waiting.map((role) => role.slice('runs_'.length)).join(' and ')
  return `Claims the role ${roles}, which no operator has approved. Run \`roost node approve ${node.hostname}\`.`
}
