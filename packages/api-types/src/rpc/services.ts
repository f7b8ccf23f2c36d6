import type { z } from 'zod'
import type {
  AdoptableUser,
  AdoptionInput,
  AgentUpgradeJob,
  Alert,
  AlertReceiverTest,
  ApiKey,
  ApiKeyRotation,
  Capacity,
  CapacityForecast,
  CapacityFullness,
  CapacityHistory,
  ChangedNode,
  ClusterHealth,
  ClusterIdentity,
  ClusterIdentityInput,
  ClusterStorage,
  ClusterStorageInput,
  CreatedApiKey,
  CreatedS3Credential,
  CurrentSession,
  DeviceFacets,
  Explanations,
  Job,
  MetricHistory,
  MetricNames,
  MetricSample,
  MetricSamples,
  Node,
  NodeChange,
  NodeFacets,
  NodeHardware,
  NodeMetricHistory,
  NodeMetricSample,
  S3Credentials,
  Sparklines,
  WrittenUser,
} from '../rest/index.js'
import type {
  DriftedNodesService,
  DriftService,
  GenerationService,
  PendingChangeService,
  SharePreviewService,
  ShareSessionsService,
  ShareUploadsService,
} from './deployed-service.js'
import type { EventService } from './event-service.js'
import type { Declaration, ResourceName, resources } from './resources.js'
import type {
  ClusterSummaryService,
  ContainerService,
  Faceted,
  HeartbeatService,
  PreferencesService,
  SearchService,
  SystemService,
} from './system-service.js'
import type { TokenService } from './token-service.js'
import type { UsageRange, UsageRemovalService, UsageSeriesService, UtilizationService } from './utilization-service.js'
import type { Caller, ChangeOptions, Changes, Creates, ListQuery, Page, Reads, Removes } from './verbs.js'

/** The login with which the gateways of a cluster mount containers. The key can be set, and is never returned. */
export interface ClusterStorageService {
  /** Null until it is set. */
  get(clusterId: number): Promise<ClusterStorage | null>
  /** Reaches each gateway with its next deployment. */
  set(clusterId: number, input: ClusterStorageInput, caller: Caller): Promise<ClusterStorage>
  /** Refused while enabled shares of the cluster need it, unless forced. */
  unset(clusterId: number, caller: Caller, options?: { readonly force?: boolean }): Promise<void>
}

/** The Keystone that has the users of a cluster. Its key can be set, and is never returned. */
export interface ClusterIdentityService {
  /** Null until it is set: the users are then in the configuration of the proxies. */
  get(clusterId: number): Promise<ClusterIdentity | null>
  /** Logs in first; throws `invalid` with what Keystone answered. */
  set(clusterId: number, input: ClusterIdentityInput, caller: Caller): Promise<ClusterIdentity>
  /** Changes nothing in Keystone. Refused (`conflict`) while a deployment of users is unfinished. */
  unset(clusterId: number, caller: Caller): Promise<void>
}

/** Users of a cluster that others made in its tempauth or Keystone. Each throws `unavailable` where these cannot be read. */
export interface UserAdoptionService {
  list(clusterId: number, page: Pick<ListQuery, 'limit' | 'offset'>): Promise<Page<AdoptableUser>>
  /** The user keeps its login, its account and, without a new password, its password. */
  adopt(clusterId: number, input: AdoptionInput, caller: Caller): Promise<WrittenUser>
}

/** The keys with which users reach their accounts by S3. Each throws `unavailable` with what Keystone answered. */
export interface S3CredentialService {
  list(userId: number): Promise<S3Credentials>
  /** The only answer with the secret key. Refused (`conflict`) where the user is in tempauth, or not in Keystone yet. */
  create(userId: number, caller: Caller): Promise<CreatedS3Credential>
  /** For the repetition of a request that created it, whose first answer was lost. */
  reveal(userId: number, accessKey: string): Promise<CreatedS3Credential>
  remove(userId: number, accessKey: string, caller: Caller): Promise<void>
}

/** Devices are reported by agents. */
export type DeviceService = ServiceOf<typeof resources.devices> & Faceted<DeviceFacets>

/** Nodes are created by enrollment only. A node with shares cannot be removed (`conflict`). */
export interface NodeService extends ServiceOf<typeof resources.nodes>, Faceted<NodeFacets> {
  /** All or nothing, in the order given. Throws `stale` if one of the nodes has another ETag now. */
  changeMany(
    changes: readonly ({ readonly id: number; readonly change: NodeChange } & ChangeOptions)[],
    caller: Caller,
  ): Promise<readonly ChangedNode[]>
  /** Revokes the node's identity. Refused (`conflict`) while it is online, unless `force`. */
  remove(id: number, caller: Caller, options?: ChangeOptions & { readonly force?: boolean }): Promise<void>
}

/** The fields of a node that a subscriber of states sees. */
export type NodeState = Pick<Node, 'id' | 'hostname' | 'state' | 'config_state' | 'enabled'>

/** A node with the fields that have changed; with all of them when it is new. `removed`: the node does not exist any more. */
export interface NodeStateChange extends Pick<Node, 'id'>, Partial<Omit<NodeState, 'id' | 'state'>> {
  readonly state?: Node['state'] | 'removed'
}

/** States of nodes as they change. */
export interface NodeStateService {
  /** All nodes first, then what has changed, at most once a second, until the signal aborts. */
  watch(signal: AbortSignal): AsyncIterable<readonly NodeStateChange[]>
}

/** The hardware of nodes, as their agents read it last; also of nodes that are offline. */
export interface NodeHardwareService {
  /** Throws `not_found`, and `unavailable` when the agent has not reported it or is too old. */
  get(nodeId: number): Promise<NodeHardware>
}

export interface FullnessQuery {
  /** Percent of a step, a divisor of 100; 5 unless given. */
  readonly step?: number | undefined
  /** Also each device, by node. */
  readonly by_node?: boolean | undefined
}

/** Capacity in TB (10^12 bytes) and percent, by set of storage policies. Throws `not_found`. */
export interface CapacityService {
  ofCluster(clusterId: number): Promise<Capacity>
  /** Days until each set will be full. */
  forecast(clusterId: number): Promise<CapacityForecast>
  /** Which devices are part of the capacity, and which are not. */
  explain(clusterId: number): Promise<Explanations>
  explainForecast(clusterId: number): Promise<Explanations>
  /** The days of the sets named `sets`, of all without it. Throws `invalid`, too. */
  history(clusterId: number, range: Partial<UsageRange>, sets?: readonly string[]): Promise<CapacityHistory>
  /** How many devices are how full. Throws `invalid`, too. */
  fullness(clusterId: number, query?: FullnessQuery): Promise<CapacityFullness>
}

/** Ring agreement, replication ages in seconds, pending and quarantined objects. Throws `not_found`. */
export interface ClusterHealthService {
  ofCluster(clusterId: number): Promise<ClusterHealth>
  /** Of which nodes the verdict, its reasons and the numbers are made. */
  explain(clusterId: number): Promise<Explanations>
}

/** What of the history is asked for. Times are ISO 8601; UTC if no time zone is given. */
export interface HistoryQuery {
  /** As of a poll. */
  readonly metrics: readonly string[]
  readonly start: string
  /** Default: now. */
  readonly end?: string | undefined
  /** Seconds between two points; 10 for the readings themselves. Default: what `max_points` leads to. */
  readonly step?: number | undefined
  /** Default: 1000. */
  readonly max_points?: number | undefined
}

/** One metric of up to 200 nodes, with at most 120 points (30). */
export interface SparklineQuery {
  readonly ids: readonly number[]
  readonly name: string
  readonly points?: number | undefined
  /** Default: an hour ago. */
  readonly start?: string | undefined
  /** Default: now. */
  readonly end?: string | undefined
}

/** Values of metrics over time. Throws `invalid` beyond the limits, and `not_found`. */
export interface MetricHistoryService {
  ofNode(nodeId: number, query: HistoryQuery): Promise<MetricHistory>
  /** Of the values that polls of the cluster had. */
  ofCluster(clusterId: number, query: HistoryQuery): Promise<MetricHistory>
  /** Of every node of the cluster that has any of the names. */
  across(clusterId: number, query: HistoryQuery): Promise<NodeMetricHistory>
  sparklines(query: SparklineQuery): Promise<Sparklines>
}

/** `patterns`: literal names, and names in which `*` matches any sequence of characters. Throws `invalid` beyond the limits, and `not_found`. */
export interface MetricService {
  namesOfNode(nodeId: number): Promise<MetricNames>
  namesOfCluster(clusterId: number): Promise<MetricNames>
  pollNode(nodeId: number, patterns: readonly string[]): Promise<MetricSamples>
  pollCluster(clusterId: number, patterns: readonly string[]): Promise<MetricSamples>
  /** Of which nodes the values of a poll are made; of at most 20 names. */
  explainCluster(clusterId: number, patterns: readonly string[]): Promise<Explanations>
  /** The samples of a poll first, then new ones, until the signal aborts. */
  watchNode(
    nodeId: number,
    patterns: readonly string[],
    signal: AbortSignal,
  ): Promise<AsyncIterable<readonly MetricSample[]>>
  watchCluster(
    clusterId: number,
    patterns: readonly string[],
    signal: AbortSignal,
  ): Promise<AsyncIterable<readonly MetricSample[]>>
  /** The rows of every node of the cluster that has any of the names, in slices, so that other requests are served in between. */
  across(clusterId: number, patterns: readonly string[]): Promise<AsyncIterable<readonly NodeMetricSample[]>>
}

/** Deployments of one kind. Lists show unfinished ones, unless they are filtered by `state`. */
export interface JobService extends ServiceOf<typeof resources.gatewayDeployments> {
  /** Cancels the targets that have not begun; `conflict` if there are none. */
  cancel(id: number, caller: Caller): Promise<Job>
  /** Confirms what the nodes have applied, so that they keep it; `conflict` while nodes still apply it, or if none waits. */
  confirm(id: number, caller: Caller): Promise<Job>
  /** The job first, and again when it has changed, until it has ended or the signal aborts. Throws `not_found` at once. */
  watch(id: number, signal: AbortSignal): Promise<AsyncIterable<Job>>
}

/** Upgrades of agents. The answer to `create` is the plan: each node with its wave. */
export interface AgentUpgradeService extends ServiceOf<typeof resources.agentUpgrades> {
  /** Cancels it on the nodes that have not begun; `conflict` if there are none. */
  cancel(id: number, caller: Caller): Promise<AgentUpgradeJob>
}

/** Alerts. Lists show those that are not resolved, unless they are filtered by `state` or `id`. */
export interface AlertService extends ServiceOf<typeof resources.alerts> {
  /** All that are not resolved first, then each that has changed, until the signal aborts. */
  watch(signal: AbortSignal): AsyncIterable<readonly Alert[]>
}

/** Where alerts are sent. */
export interface AlertReceiverService extends ServiceOf<typeof resources.alertReceivers> {
  /** Sends an alert that is only a test, now and once. */
  test(id: number, caller: Caller): Promise<AlertReceiverTest>
}

/** The secret of a key is only in the answer of the call that created it. */
export interface ApiKeyService extends ServiceOf<typeof resources.apiKeys> {
  /** Creates a new key; the old one keeps working for the overlap. */
  rotate(id: number, rotation: ApiKeyRotation, caller: Caller): Promise<CreatedApiKey>
  /** Revokes the key at once, and closes open streams that use it. */
  revoke(id: number, caller: Caller): Promise<ApiKey>
}

/** A new session with its secret, which goes into the cookie of the browser and nowhere else. */
export interface OpenedSession {
  readonly session: CurrentSession
  /** `name:secret` */
  readonly credentials: string
}

/** Sessions of browsers. Each has a secret like a key, and ends with the key that opened it. */
export interface SessionService extends ServiceOf<typeof resources.sessions> {
  /** `client`: how the browser names itself. */
  open(client: string, caller: Caller): Promise<OpenedSession>
  /** Null for a caller without a session. */
  current(caller: Caller): Promise<CurrentSession | null>
  /** Ends the session of the caller, if there is one. */
  close(caller: Caller): Promise<void>
}

/** The schema of the answers to the writes of a resource. */
export type WrittenOf<D extends Declaration> = D extends { readonly written: infer W extends z.ZodType }
  ? W
  : D['record']

/** The verbs of a resource, as its declaration lists them. */
export type ServiceOf<D extends Declaration> = Reads<z.output<D['record']>> &
  (D extends { readonly create: infer I extends z.ZodType } ? Creates<z.output<WrittenOf<D>>, z.output<I>> : object) &
  (D extends { readonly change: infer I extends z.ZodType } ? Changes<z.output<WrittenOf<D>>, z.output<I>> : object) &
  (D extends { readonly remove: true } ? Removes : object)

/** A service as the transports call it, which know its record by the schemas alone; a verb is there if it is declared. */
export type AnyService = Reads<object> & Creates<object, unknown> & Changes<object, unknown> & Removes

type ResourceServices = { readonly [N in ResourceName]: ServiceOf<(typeof resources)[N]> }

/** Everything that a transport may call. REST and tRPC both use this. */
export interface Services extends ResourceServices {
  readonly nodes: NodeService
  readonly devices: DeviceService
  readonly nodeHardware: NodeHardwareService
  readonly gatewayDeployments: JobService
  readonly userDbDeployments: JobService
  readonly agentUpgrades: AgentUpgradeService
  readonly alerts: AlertService
  readonly alertReceivers: AlertReceiverService
  readonly heartbeat: HeartbeatService
  readonly apiKeys: ApiKeyService
  readonly sessions: SessionService
  readonly preferences: PreferencesService
  readonly clusterStorage: ClusterStorageService
  readonly containers: ContainerService
  readonly clusterIdentity: ClusterIdentityService
  readonly s3Credentials: S3CredentialService
  readonly userAdoption: UserAdoptionService
  readonly nodeStates: NodeStateService
  readonly shareSessions: ShareSessionsService
  readonly sharePreview: SharePreviewService
  readonly shareUploads: ShareUploadsService
  readonly drift: DriftService
  readonly driftedNodes: DriftedNodesService
  readonly generations: GenerationService
  readonly pendingChanges: PendingChangeService
  readonly events: EventService
  readonly capacity: CapacityService
  readonly clusterHealth: ClusterHealthService
  readonly clusterSummary: ClusterSummaryService
  readonly metrics: MetricService
  readonly metricHistory: MetricHistoryService
  readonly utilization: UtilizationService
  readonly usageSeries: UsageSeriesService
  readonly usageRemoval: UsageRemovalService
  readonly tokens: TokenService
  readonly system: SystemService
  readonly search: SearchService
}
