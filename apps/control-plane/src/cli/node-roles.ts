import { waitingRoles } from '@roost/api-types/rest'
import type { GrantableRole } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../config.js'
import { nodeOf, withApi } from './client/api.js'
import type { Rpc } from './client/api.js'
import { nodeView } from './records/node-view.js'
import { parseRoles, roleNames } from './records/roles.js'
import { printResult, withResult } from './terminal/output.js'
import type { ResultOptions } from './terminal/output.js'
import type { Terminal } from './terminal/terminal.js'

interface RoleFlags extends ResultOptions {
  readonly roles?: GrantableRole[]
}

export function addNodeRoles(node: Command, config: () => Config, terminal: Terminal): void {
  withResult(node.command('approve <node>'))
    .description('Approve roles of a node, by hostname or id, so that deployments with passwords reach it')
    .option('--roles <roles>', 'gateway, proxy (default: the roles that the node claims)', parseRoles)
    .action((nameOrId: string, { roles: asked, ...options }: RoleFlags) =>
      withApi(config(), async (rpc) => {
        const { id, hostname, node_role, roles_granted } = await nodeOf(rpc.nodes, nameOrId)
        const roles = asked ?? waitingRoles(node_role, roles_granted)
        const record = await change(rpc.nodes, id, roles, true)
        const done = roles.length > 0 ? `approved as ${roleNames(roles)}` : 'has no role that is waiting for approval'
        const sentence = `node ${hostname} (${id}) ${done}`
        await printResult(terminal, { record, view: await nodeView(rpc), sentence }, options)
      }),
    )
  withResult(node.command('revoke <node>'))
    .description('Revoke roles of a node, by hostname or id, and list the passwords to rotate')
    .requiredOption('--roles <roles>', 'gateway, proxy, or both separated by a comma', parseRoles)
    .action((nameOrId: string, { roles, ...options }: ResultOptions & Required<Pick<RoleFlags, 'roles'>>) =>
      withApi(config(), async (rpc) => {
        const { id, hostname } = await nodeOf(rpc.nodes, nameOrId)
        const record = await change(rpc.nodes, id, roles, false)
        const { passwords_to_rotate: known = [] } = record
        const rotate = known.length === 0 ? '' : `\nrotate the passwords that the node has received: ${known.join(' ')}`
        const sentence = `node ${hostname} (${id}) is no longer approved as ${roleNames(roles)}${rotate}`
        await printResult(terminal, { record, view: await nodeView(rpc), sentence }, options)
      }),
    )
}

function change(nodes: Rpc['nodes'], id: number, roles: readonly GrantableRole[], isGranted: boolean) {
  const node_role = Object.fromEntries(roles.map((role) => [role, isGranted]))
  return nodes.change.mutate({ id, change: { node_role } })
}
