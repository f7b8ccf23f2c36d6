import { GrantableRole } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../config.js'
import { nodeOf, withApi } from './client/api.js'
import type { Rpc } from './client/api.js'
import { parseRoles, roleNames } from './roles.js'
import type { Terminal } from './terminal/terminal.js'

interface RoleFlags {
  readonly roles?: GrantableRole[]
}

export function addNodeRoles(node: Command, config: () => Config, { out }: Pick<Terminal, 'out'>): void {
  node
    .command('approve <node>')
    .description('Approve roles of a node, by hostname or id, so that deployments with passwords reach it')
    .option('--roles <roles>', 'gateway, proxy (default: the roles that the node claims)', parseRoles)
    .action((nameOrId: string, { roles: asked }: RoleFlags) =>
      withApi(config(), async ({ nodes }) => {
        const { id, hostname, node_role, roles_granted } = await nodeOf(nodes, nameOrId)
        const claimed = GrantableRole.options.filter((role) => node_role[role] && !roles_granted.includes(role))
        const roles = asked ?? claimed
        await change(nodes, id, roles, true)
        if (roles.length > 0) out.write(`node ${hostname} (${id}) approved as ${roleNames(roles)}\n`)
        else out.write(`node ${hostname} (${id}) has no role that is waiting for approval\n`)
      }),
    )
  node
    .command('revoke <node>')
    .description('Revoke roles of a node, by hostname or id, and list the passwords to rotate')
    .requiredOption('--roles <roles>', 'gateway, proxy, or both separated by a comma', parseRoles)
    .action((nameOrId: string, { roles }: Required<RoleFlags>) =>
      withApi(config(), async ({ nodes }) => {
        const { id, hostname } = await nodeOf(nodes, nameOrId)
        const { passwords_to_rotate: known = [] } = await change(nodes, id, roles, false)
        out.write(`node ${hostname} (${id}) is no longer approved as ${roleNames(roles)}\n`)
        if (known.length > 0) out.write(`rotate the passwords that the node has received: ${known.join(' ')}\n`)
      }),
    )
}

function change(nodes: Rpc['nodes'], id: number, roles: readonly GrantableRole[], isGranted: boolean) {
  const node_role = Object.fromEntries(roles.map((role) => [role, isGranted]))
  return nodes.change.mutate({ id, change: { node_role } })
}
