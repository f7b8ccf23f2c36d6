import type {
  AccountStorageUtilization,
  AccountTransferUtilization,
  ApiKey,
  ApiKeyInput,
  ApiKeyRotation,
  AuditEvent,
  Capacity,
  Cluster,
  ClusterInput,
  CreatedApiKey,
  Device,
  Drift,
  DriftAction,
  GatewayShare,
  GatewayShareChange,
  GatewayShareInput,
  Job,
  JobInput,
  MetricNames,
  MetricSample,
  MetricSamples,
  Node,
  NodeChange,
  NodeMetricSample,
  NodeRole,
  Operator,
  OperatorChange,
  OperatorInput,
  StoragePolicy,
  StorageUtilization,
  TransferUtilization,
  User,
  UserChange,
  UserInput,
  WrittenGatewayShare,
  WrittenUser,
} from '../rest/index.js'

/** Who calls, as authentication found out; goes into the audit record of every write. */
export interface Caller {
  readonly operatorId: number
  readonly operator: string
  readonly role: 'admin' | 'read_only'
  /** The API key in use; null on the host itself, by `roost local`. */
  readonly keyId: number | null
  /** Where from: an IP address, or `local`. */
  readonly address: string
  readonly requestId: string
  /** The Idempotency-Key that the request came with: the write's transaction keeps the answer under it. */
  readonly idempotency?: IdempotencyTicket
}

/** What is kept of a request that may come again; nothing in it is a secret. */
export interface IdempotencyTicket {
  readonly key: string
  readonly path: string
  /** HMAC of the body. */
  readonly bodyMac: Uint8Array<ArrayBuffer>
  /** Fields of the answer that are not kept. */
  readonly secrets: readonly string[]
}

/** One condition of a list; all of them must hold. `field` is as in the query string, such as `cluster__name`. */
export interface Filter {
  readonly field: string
  readonly op: 'exact' | 'in'
  readonly values: readonly (string | number | boolean)[]
}

export interface Order {
  readonly field: string
  readonly descending: boolean
}

/** A list to read: the conditions were checked against the resource's declaration; `limit` is at most 1,000. */
export interface ListQuery {
  readonly filters: readonly Filter[]
  readonly order: readonly Order[]
  readonly limit: number
  readonly offset: number
}

export interface Page<R> {
  readonly objects: readonly R[]
  readonly total: number
}

/** The reading verbs, the same for every resource. `get` throws `not_found`; `getMany` leaves out what is not there. */
export interface Reads<R> {
  list(query: ListQuery): Promise<Page<R>>
  get(id: number): Promise<R>
  getMany(ids: readonly number[]): Promise<readonly R[]>
}

/** Options of a change: `ifMatch` is the ETag that the caller saw; `stale` is thrown when the record has another now. */
export interface ChangeOptions {
  readonly ifMatch?: string
}

export interface Creates<R, I> {
  create(input: I, caller: Caller): Promise<R>
}

export interface Changes<R, I> {
  change(id: number, input: I, caller: Caller, options?: ChangeOptions): Promise<R>
}

export interface Removes {
  remove(id: number, caller: Caller, options?: ChangeOptions): Promise<void>
}

export interface ClusterService
  extends Reads<Cluster>, Creates<Cluster, ClusterInput>, Changes<Cluster, ClusterInput>, Removes {}

export interface NodeService extends Reads<Node>, Changes<Node, NodeChange> {
  /** All or nothing, in the order given. */
  changeMany(
    changes: readonly { readonly id: number; readonly change: NodeChange }[],
    caller: Caller,
  ): Promise<readonly Node[]>
  /** Revokes the node's identity. Refused (`conflict`) while it is online, unless `force`. */
  remove(id: number, caller: Caller, options?: ChangeOptions & { readonly force?: boolean }): Promise<void>
}

/** What moves by itself of a node; `removed`: it is there no more. */
export interface NodeStateChange extends Pick<Node, 'id' | 'hostname' | 'config_state' | 'enabled'> {
  readonly state: Node['state'] | 'removed'
}

export interface NodeStateService {
  /** All nodes at first, then those that changed, at most once a second, until the signal. */
  watch(signal: AbortSignal): AsyncIterable<readonly NodeStateChange[]>
}

/** The password stands in the answer of the very write that set it, and nowhere else. */
export interface UserService
  extends Reads<User>, Creates<WrittenUser, UserInput>, Changes<WrittenUser, UserChange>, Removes {}

export interface GatewayShareService
  extends
    Reads<GatewayShare>,
    Creates<WrittenGatewayShare, GatewayShareInput>,
    Changes<WrittenGatewayShare, GatewayShareChange>,
    Removes {}

export interface CapacityService {
  ofCluster(clusterId: number): Promise<Capacity>
}

/** `patterns`: literal names, and names in which `*` stands for any run of characters. */
export interface MetricService {
  namesOfNode(nodeId: number): Promise<MetricNames>
  namesOfCluster(clusterId: number): Promise<MetricNames>
  pollNode(nodeId: number, patterns: readonly string[]): Promise<MetricSamples>
  pollCluster(clusterId: number, patterns: readonly string[]): Promise<MetricSamples>
  /** The samples of a poll, and from then on those that are new, until the signal. */
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
  /** The rows of every node of the cluster that has any of the names, in slices that each take a moment to make. */
  across(clusterId: number, patterns: readonly string[]): Promise<AsyncIterable<readonly NodeMetricSample[]>>
}

/** ISO 8601, UTC where no zone is given. `start` counts from its half-hour, `end` (now unless given) to a whole hour after it. */
export interface UsageRange {
  readonly start: string
  readonly end?: string | undefined
}

/** Rows at most, and how many to leave out before the first. */
export interface Slice {
  readonly limit: number
  readonly offset: number
}

/** The four ways to look at usage. An account that nobody knows has no rows; an unknown cluster is `not_found`. */
export interface UsageReads<Scope, Row, AccountRow> {
  /** A row an account over the whole range, ascending by account. */
  ofAccounts(scope: Scope, range: UsageRange, slice: Slice): Promise<Page<AccountRow>>
  /** At most one row, over the whole range. */
  ofAccount(scope: Scope, account: string, range: UsageRange): Promise<Page<Row>>
  /** A row an hour in which something is known, ascending. */
  detail(scope: Scope, account: string, range: UsageRange, slice: Slice): Promise<Page<Row>>
  /** At most one row: what `ofAccounts` adds up to. */
  total(scope: Scope, range: UsageRange): Promise<Page<Row>>
}

export interface TransferScope {
  readonly clusterId: number
}
export interface StorageScope extends TransferScope {
  /** Index of the storage policy. */
  readonly policyIdx: number
}

export interface UtilizationService {
  readonly storage: UsageReads<StorageScope, StorageUtilization, AccountStorageUtilization>
  readonly transfer: UsageReads<TransferScope, TransferUtilization, AccountTransferUtilization>
}

/** A token that lets one new node in. The secret is in `create`'s answer alone. */
export interface EnrolmentToken {
  readonly id: number
  readonly cluster: string
  readonly expires: string
  readonly uses_left: number
}

export interface EnrolmentTokenInput {
  readonly cluster: number
  /** Seconds until it expires; 3,600 unless given. */
  readonly ttl_seconds?: number | undefined
  /** How many nodes it lets in; 1 unless given. */
  readonly uses?: number | undefined
}

export interface CreatedToken extends EnrolmentToken {
  readonly token: string
  /** The lines to paste on the new node. */
  readonly lines: readonly string[]
  /** Why the lines will not work on another machine, such as a listener on loopback alone; null when they will. */
  readonly warning: string | null
}

/** Deployments of one kind. Lists show the unfinished ones, and any to who asks by `state`. */
export interface JobService extends Reads<Job>, Creates<Job, JobInput> {
  /** Stops what has not begun; `conflict` when nothing is left to stop. */
  cancel(id: number, caller: Caller): Promise<Job>
  /** The job as it is, and again when it has changed, until it has ended or the signal. Throws `not_found` at once. */
  watch(id: number, signal: AbortSignal): Promise<AsyncIterable<Job>>
}

/** What nodes have that no deployment put there. */
export interface DriftService {
  get(nodeId: number): Promise<Drift>
  /** `reapply` puts the generation in force back; `adopt` makes the records what the node has. */
  resolve(nodeId: number, action: DriftAction, caller: Caller): Promise<Drift>
}

export interface TokenService {
  create(input: EnrolmentTokenInput, caller: Caller): Promise<CreatedToken>
}

/** The last enabled administrator stays one: `conflict`. */
export interface OperatorService
  extends Reads<Operator>, Creates<Operator, OperatorInput>, Changes<Operator, OperatorChange>, Removes {}

/** Of every key, the secret is in the answer that made it alone. */
export interface ApiKeyService extends Reads<ApiKey>, Creates<CreatedApiKey, ApiKeyInput> {
  /** A new key in the place of one, which goes on working for the overlap. */
  rotate(id: number, rotation: ApiKeyRotation, caller: Caller): Promise<CreatedApiKey>
  /** Ends it at once, with whatever streams to it. */
  revoke(id: number, caller: Caller): Promise<ApiKey>
}

/** Everything that a transport may call. REST and tRPC are two faces of this. */
export interface Services {
  readonly clusters: ClusterService
  readonly nodes: NodeService
  readonly nodeStates: NodeStateService
  readonly nodeRoles: Reads<NodeRole>
  readonly devices: Reads<Device>
  readonly storagePolicies: Reads<StoragePolicy>
  readonly users: UserService
  readonly gatewayShares: GatewayShareService
  readonly gatewayDeployments: JobService
  readonly userDbDeployments: JobService
  readonly drift: DriftService
  readonly capacity: CapacityService
  readonly metrics: MetricService
  readonly utilization: UtilizationService
  readonly tokens: TokenService
  readonly operators: OperatorService
  readonly apiKeys: ApiKeyService
  readonly auditEvents: Reads<AuditEvent>
}
