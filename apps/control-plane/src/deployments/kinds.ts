import type { DeploymentKind } from '@roost/api-types/agent'
import type { GrantableRole } from '@roost/api-types/rest'
import type { DecisionRules } from './decide.js'

export interface KindRules {
  /** The REST resource of its jobs. */
  readonly resource: string
  /** The flag of a node's role that makes it a target. */
  readonly role: 'runsGateway' | 'runsProxy'
  /** The same role as an operator grants it: without the grant, nothing of this kind is sent to a node. */
  readonly grant: GrantableRole
  /** What such a node is called in messages. */
  readonly nodes: string
  /** True: one node after the other, stopping at the first failure. False: all at once. */
  readonly oneByOne: boolean
  /** Why a target fails at once while its node is not connected; null: it waits for the node. */
  readonly notConnected: string | null
}

/** Every kind of deployment. */
export const deploymentKinds: Readonly<Record<DeploymentKind, KindRules>> = {
  gateway: {
    resource: 'gateway_deployments',
    role: 'runsGateway',
    grant: 'runs_gateway',
    nodes: 'gateway',
    oneByOne: false,
    notConnected: null,
  },
  user_db: {
    resource: 'user_db_deployments',
    role: 'runsProxy',
    grant: 'runs_proxy',
    nodes: 'proxy',
    oneByOne: true,
    notConnected:
      'Not reached: this proxy is not connected, and still lets in users whose rights were taken. It gets this change when its agent connects.',
  },
}

/** Returns why nothing of this kind is sent to the node. */
export function notGranted(kind: DeploymentKind): string {
  const { grant, nodes } = deploymentKinds[kind]
  return `No operator has approved this node as a ${nodes}. Run \`roost node approve\`, or set node_role.${grant} of the node.`
}

/** Returns the rules by which jobs of the kind are decided. */
export function decisionRules(kind: DeploymentKind): DecisionRules {
  const { oneByOne, nodes } = deploymentKinds[kind]
  return {
    oneByOne,
    shutsOut: kind === 'user_db',
    withoutTargets: `The cluster has no nodes that run a ${nodes} and are approved for it.`,
  }
}
