/** The roles of a node, under the names of their flags. */
const nodeRoles = ['runs_account_container', 'runs_gateway', 'runs_object', 'runs_proxy'] as const
export type NodeRoleName = (typeof nodeRoles)[number]

/** Returns an object with a value for each role. */
export function forEachRole<T>(valueOf: (role: NodeRoleName) => T): Record<NodeRoleName, T> {
  return Object.fromEntries(nodeRoles.map((role) => [role, valueOf(role)])) as Record<NodeRoleName, T>
}
