import type { DeploymentKind } from '@roost/api-types/agent'

export interface KindRules {
  /** The REST resource of its jobs. */
  readonly resource: string
  /** The flag of a node's role that makes it a target. */
  readonly role: 'runsGateway' | 'runsProxy'
  /** How an operator calls such a node. */
  readonly nodes: string
  /** Its nodes one after the other, so that a fault stops at the first; or all at once. */
  readonly oneByOne: boolean
}

/** Every kind of deployment. */
export const deploymentKinds: Readonly<Record<DeploymentKind, KindRules>> = {
  gateway: { resource: 'gateway_deployments', role: 'runsGateway', nodes: 'gateway', oneByOne: false },
  user_db: { resource: 'user_db_deployments', role: 'runsProxy', nodes: 'proxy', oneByOne: true },
}
