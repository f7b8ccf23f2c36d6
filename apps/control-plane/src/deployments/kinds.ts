import type { DeploymentKind } from '@roost/api-types/agent'

export interface KindRules {
  /** The REST resource of its jobs. */
  readonly resource: string
  /** The flag of a node's role that makes it a target. */
  readonly role: 'runsGateway' | 'runsProxy'
  /** What such a node is called in messages. */
  readonly nodes: string
  /** True: one node after the other, stopping at the first failure. False: all at once. */
  readonly oneByOne: boolean
}

/** Every kind of deployment. */
export const deploymentKinds: Readonly<Record<DeploymentKind, KindRules>> = {
  gateway: { resource: 'gateway_deployments', role: 'runsGateway', nodes: 'gateway', oneByOne: false },
  user_db: { resource: 'user_db_deployments', role: 'runsProxy', nodes: 'proxy', oneByOne: true },
}
