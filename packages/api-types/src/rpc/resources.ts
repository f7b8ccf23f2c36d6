import type { z } from 'zod'
import {
  AgentUpgradeInput,
  AgentUpgradeJob,
  agentUpgradeRules,
  Alert,
  AlertChange,
  AlertDelivery,
  alertDeliveryRules,
  AlertReceiver,
  AlertReceiverChange,
  AlertReceiverInput,
  alertReceiverRules,
  AlertMetricRule,
  AlertMetricRuleChange,
  AlertMetricRuleInput,
  alertMetricRuleRules,
  AlertRule,
  AlertRuleChange,
  AlertRuleInput,
  alertRuleRules,
  alertRules,
  AlertSilence,
  AlertSilenceChange,
  AlertSilenceInput,
  alertSilenceRules,
  ApiKey,
  ApiKeyInput,
  apiKeyRules,
  AuditEvent,
  auditEventRules,
  ChangedNode,
  CreatedApiKey,
  Device,
  deviceRules,
  GatewayShare,
  GatewayShareChange,
  GatewayShareInput,
  gatewayShareRules,
  Job,
  JobInput,
  jobRules,
  Node,
  NodeChange,
  NodeRole,
  nodeRoleRules,
  nodeRules,
  Operator,
  OperatorChange,
  OperatorInput,
  operatorRules,
  StoragePolicy,
  storagePolicyRules,
  WrittenGatewayShare,
} from '../rest/index.js'
import type { byId, ResourceRules } from '../rest/index.js'
import { Session, sessionRules } from '../rest/access/session.js'
import { View, ViewChange, ViewInput, viewRules } from '../rest/access/view.js'
import { Cluster, ClusterInput, clusterRules } from '../rest/cluster.js'
import { User, UserChange, UserInput, userRules, WrittenUser } from '../rest/user.js'

/** A resource: its records, and the verbs that it has. The services, tRPC, REST, OpenAPI and the index follow from it. */
export interface Declaration {
  /** As in the path, and as the table is called: `gateway_shares`. */
  readonly name: string
  readonly description: string
  /** The answer to a read. A union of variants is fine; a key that is not in it cannot leak. */
  readonly record: z.ZodType
  /** Every list has the filters `byId`. */
  readonly rules: ResourceRules & { readonly filters: typeof byId }
  /** The bodies of `create` and `change`. A verb that is left out is answered 405. */
  readonly create?: z.ZodType
  readonly change?: z.ZodType
  readonly remove?: true
  /** The answer to a write, where it is not the record: it may carry a secret that this write has set. */
  readonly written?: z.ZodType
  /** Fields of the answer to a write that are stored nowhere in plain text, and masked in the audit. */
  readonly secrets?: readonly string[]
  /** The answer to `create` has a secret that is not in the request and not stored: it cannot be sent again. */
  readonly showsSecretOnce?: true
  /** Its verbs in REST: all unless said; `reads` alone, or none, where only tRPC and the command line have them. */
  readonly rest?: 'reads' | 'none'
}

/** THE LIST of resources, in the order of the index, by the name of their service. */
export const resources = {
  clusters: {
    name: 'clusters',
    description: 'clusters of nodes; the command line and tRPC create and remove them',
    record: Cluster,
    rules: clusterRules,
    create: ClusterInput,
    change: ClusterInput,
    remove: true,
    rest: 'reads',
  },
  nodes: {
    name: 'nodes',
    description: 'machines with an agent; enrollment creates them',
    record: Node,
    rules: nodeRules,
    change: NodeChange,
    written: ChangedNode,
  },
  nodeRoles: {
    name: 'node_roles',
    description: 'roles of nodes; changed through their node',
    record: NodeRole,
    rules: nodeRoleRules,
  },
  devices: {
    name: 'devices',
    description:
      'filesystems that a ring or the configuration of an agent lists; only a retired or missing one can be removed',
    record: Device,
    rules: deviceRules,
    remove: true,
  },
  storagePolicies: {
    name: 'storage_policies',
    description: 'storage policies of the rings and swift.conf',
    record: StoragePolicy,
    rules: storagePolicyRules,
  },
  users: {
    name: 'users',
    description: 'users of the clusters, each with a storage account; removing a user keeps the data in its account',
    record: User,
    rules: userRules,
    create: UserInput,
    change: UserChange,
    remove: true,
    written: WrittenUser,
    secrets: ['password'],
  },
  gatewayShares: {
    name: 'gateway_shares',
    description: 'NFS and CIFS shares of containers on the gateways',
    record: GatewayShare,
    rules: gatewayShareRules,
    create: GatewayShareInput,
    change: GatewayShareChange,
    remove: true,
    written: WrittenGatewayShare,
    secrets: ['password'],
  },
  gatewayDeployments: {
    name: 'gateway_deployments',
    description: 'deployments of shares to gateways',
    record: Job,
    rules: jobRules,
    create: JobInput,
  },
  userDbDeployments: {
    name: 'user_db_deployments',
    description: 'deployments of users to the proxies of a cluster',
    record: Job,
    rules: jobRules,
    create: JobInput,
  },
  agentUpgrades: {
    name: 'agent_upgrades',
    description: 'upgrades of the agents of nodes, in waves',
    record: AgentUpgradeJob,
    rules: agentUpgradeRules,
    create: AgentUpgradeInput,
  },
  alerts: {
    name: 'alerts',
    description: 'problems that last, from their first sight to their end; not those that are resolved, unless asked',
    record: Alert,
    rules: alertRules,
    change: AlertChange,
  },
  alertReceivers: {
    name: 'alert_receivers',
    description: 'webhooks, mail addresses and Alertmanagers that alerts are sent to',
    record: AlertReceiver,
    rules: alertReceiverRules,
    create: AlertReceiverInput,
    change: AlertReceiverChange,
    remove: true,
    secrets: ['settings'],
  },
  alertDeliveries: {
    name: 'alert_deliveries',
    description: 'messages about alerts to webhooks and mail addresses, sent or waiting',
    record: AlertDelivery,
    rules: alertDeliveryRules,
  },
  alertRules: {
    name: 'alert_rules',
    description: 'what operators have changed of the alerts of a code, in all clusters or in one',
    record: AlertRule,
    rules: alertRuleRules,
    create: AlertRuleInput,
    change: AlertRuleChange,
    remove: true,
  },
  alertMetricRules: {
    name: 'alert_metric_rules',
    description: 'limits of metrics, beyond which an alert METRIC begins',
    record: AlertMetricRule,
    rules: alertMetricRuleRules,
    create: AlertMetricRuleInput,
    change: AlertMetricRuleChange,
    remove: true,
  },
  alertSilences: {
    name: 'alert_silences',
    description: 'alerts that need no action for a time',
    record: AlertSilence,
    rules: alertSilenceRules,
    create: AlertSilenceInput,
    change: AlertSilenceChange,
    remove: true,
  },
  auditEvents: {
    name: 'audit_events',
    description: 'changes, each with its operator, time and address',
    record: AuditEvent,
    rules: auditEventRules,
  },
  operators: {
    name: 'operators',
    description: 'people and programs that call this API',
    record: Operator,
    rules: operatorRules,
    create: OperatorInput,
    change: OperatorChange,
    remove: true,
    rest: 'none',
  },
  apiKeys: {
    name: 'api_keys',
    description: 'keys of operators',
    record: ApiKey,
    rules: apiKeyRules,
    create: ApiKeyInput,
    written: CreatedApiKey,
    showsSecretOnce: true,
    rest: 'none',
  },
  sessions: {
    name: 'sessions',
    description: 'browsers that operators are logged in with; removing one logs it out',
    record: Session,
    rules: sessionRules,
    remove: true,
  },
  views: {
    name: 'views',
    description: 'screens of the console that the operator of the key has saved',
    record: View,
    rules: viewRules,
    create: ViewInput,
    change: ViewChange,
    remove: true,
  },
} as const satisfies Readonly<Record<string, Declaration>>

export type ResourceName = keyof typeof resources
