import { z } from 'zod'
import { forEachRole } from '../values/node-roles.js'
import { proxyAuthentications } from '../values/proxy-authentication.js'
import { byId, throughCluster } from './dialect/rules.js'
import type { ResourceRules } from './dialect/rules.js'
import { relationUri, ResourceUri } from './dialect/uri.js'

/** `pending`: enrolled, not yet seen · `stale`: three heartbeats missed · `offline`: six · the others need an operator. */
export const NodeState = z.enum(['pending', 'online', 'stale', 'offline', 'needs_upgrade', 'duplicate'])
export type NodeState = z.infer<typeof NodeState>

export const ConfigState = z.enum(['synced', 'pending', 'drifted', 'unknown'])
export type ConfigState = z.infer<typeof ConfigState>

export const RoleFlags = z.object(forEachRole(() => z.boolean()))
export type RoleFlags = z.infer<typeof RoleFlags>

const exampleRole = {
  id: 7,
  resource_uri: '/api/v1/node_roles/7/',
  runs_account_container: true,
  runs_gateway: false,
  runs_object: true,
  runs_proxy: false,
}

export const NodeRole = z
  .object({ id: z.int(), resource_uri: ResourceUri, ...RoleFlags.shape })
  .meta({ id: 'NodeRole', examples: [exampleRole] })
export type NodeRole = z.infer<typeof NodeRole>

const byRole = forEachRole(() => 'boolean' as const) satisfies ResourceRules['filters']

export const nodeRoleRules = {
  filters: { ...byId, ...byRole },
  ordering: ['id'],
  observed: [],
} as const satisfies ResourceRules

/** Roles whose deployments carry passwords. A node gets them only after an operator has granted the role. */
export const GrantableRole = z.enum(['runs_gateway', 'runs_proxy'])
export type GrantableRole = z.infer<typeof GrantableRole>

/** Returns the roles that a node claims and no operator has granted. */
export function waitingRoles(
  claimed: Readonly<Record<GrantableRole, boolean>>,
  granted: readonly string[],
): readonly GrantableRole[] {
  return GrantableRole.options.filter((role) => claimed[role] && !granted.includes(role))
}

const Ip = z.union([z.ipv4(), z.ipv6()], { error: 'Enter an IPv4 or IPv6 address.' })

export const Severity = z.enum(['warning', 'critical'])

const NodeProblem = z.object({
  code: z.string().meta({ description: 'Code of the check that found the problem, see docs/checks.md' }),
  severity: Severity,
  subject: z.string().meta({ description: 'File, mount point, device, ring or daemon that has the problem' }),
  message: z.string(),
})

const exampleNode = {
  id: 7,
  resource_uri: '/api/v1/nodes/7/',
  uuid: 'b2d1c0de-58a4-4f3e-8f0a-4f9c2a7e6d21',
  hostname: 'store-07',
  cluster: '/api/v1/clusters/1/',
  enabled: true,
  cpu_cores: 16,
  ram_gb: 125.59,
  cluster_facing_ip: '10.0.1.7',
  outward_facing_ip: '192.0.2.7',
  replication_facing_ip: '10.0.2.7',
  other_ips: [],
  node_role: exampleRole,
  roles_granted: [],
  proxy_authentication: null,
  state: 'online' as const,
  state_detail: null,
  config_state: 'synced' as const,
  maintenance_until: null,
  last_seen: '2026-11-20T19:00:00.000Z',
  agent_version: '0.1.0',
  problems: [
    {
      code: 'mount_stuck',
      severity: 'warning' as const,
      subject: '/srv/node/d3',
      message: 'The filesystem at /srv/node/d3 does not answer.',
    },
  ],
}

export const Node = z
  .object({
    id: z.int(),
    resource_uri: ResourceUri,
    uuid: z.uuid(),
    hostname: z.string(),
    cluster: relationUri('clusters'),
    enabled: z.boolean(),
    cpu_cores: z.int().nullable(),
    ram_gb: z.number().nullable().meta({ description: 'Memory in GB of 2^30 bytes' }),
    cluster_facing_ip: z.string().nullable(),
    outward_facing_ip: z.string().nullable(),
    replication_facing_ip: z.string().nullable(),
    other_ips: z.array(z.string()),
    node_role: NodeRole,
    roles_granted: z.array(GrantableRole).meta({
      description:
        'Roles whose deployments the node receives. An enrollment token or an operator who changes node_role grants them',
    }),
    proxy_authentication: z.enum(proxyAuthentications).nullable().meta({
      description:
        'How the proxy of the node authenticates its clients; null without a proxy, or while it is not known. Users are deployed to tempauth',
    }),
    state: NodeState,
    state_detail: z
      .string()
      .nullable()
      .meta({ description: 'What an operator must do before the node can be used fully, such as approving a role' }),
    config_state: ConfigState,
    maintenance_until: z.iso.datetime().nullable().meta({
      description:
        'Somebody works on the node until then: its alerts are silent, and the verdict of the health ignores it',
    }),
    last_seen: z.iso.datetime().nullable(),
    agent_version: z.string().nullable(),
    problems: z.array(NodeProblem).meta({
      description:
        'Problems that the agent or the control plane found on the node, such as unreadable or contradictory configuration',
    }),
  })
  .meta({
    id: 'Node',
    examples: [exampleNode],
  })
export type Node = z.infer<typeof Node>

/** The answer to a change of a node. */
export const ChangedNode = Node.extend({
  passwords_to_rotate: z.array(z.string()).optional().meta({
    description:
      'Only after a role was revoked: URIs of the users and shares whose passwords the node has received, and of the cluster if the node has received its storage login',
  }),
}).meta({ id: 'ChangedNode', examples: [exampleNode] })
export type ChangedNode = z.infer<typeof ChangedNode>

export const nodeRules = {
  filters: {
    ...byId,
    q: 'part',
    enabled: 'boolean',
    hostname: 'text',
    ...throughCluster,
    node_role: { relation: 'node_roles' },
    ...byRole,
    cpu_cores: 'integer',
    ram_gb: 'number',
    uuid: 'uuid',
    state: 'text',
    config_state: 'text',
    agent_version: 'text',
    has_problems: 'boolean',
  },
  ordering: [
    'id',
    'uuid',
    'hostname',
    'cluster',
    'enabled',
    'cpu_cores',
    'ram_gb',
    'state',
    'last_seen',
    'agent_version',
  ],
  observed: [
    'proxy_authentication',
    'state',
    'state_detail',
    'config_state',
    'last_seen',
    'agent_version',
    'problems',
    'passwords_to_rotate',
  ],
} as const satisfies ResourceRules

/**
 * What an operator may change. A field that is set to another value here becomes the operator's (column
 * `operator_fields`, by the names below; the flags of `node_role` by their own): the agent's readings no longer move it.
 * `runs_gateway` and `runs_proxy` also grant the role when true, and revoke it when false.
 */
export const NodeChange = z
  .object({
    enabled: z.boolean(),
    cluster_facing_ip: Ip.nullable(),
    outward_facing_ip: Ip.nullable(),
    replication_facing_ip: Ip.nullable(),
    other_ips: z.array(Ip),
    maintenance_until: z.iso
      .datetime({ offset: true, error: 'Enter a time such as 2026-11-23T06:00:00Z.' })
      .nullable()
      .meta({ description: 'At most 30 days ahead; null ends the maintenance' }),
    node_role: RoleFlags.extend({
      id: z.int().meta({
        description:
          'Id of a complete record. If it is given, only flags that differ from the stored ones have an effect',
      }),
    }).partial(),
  })
  .partial()
  .meta({ examples: [{ enabled: false, node_role: { runs_gateway: true } }] })
export type NodeChange = z.infer<typeof NodeChange>
