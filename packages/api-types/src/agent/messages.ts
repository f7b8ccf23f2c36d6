import * as z from 'zod/mini'
import { DeploymentKind, DeploymentPlan, DriftedItem, SentState } from './deployment.js'
import { FilesystemSpace, Inventory, InventoryDeviceStatus } from './inventory.js'
import {
  Count,
  DeviceKey,
  Generation,
  IntervalMilliseconds,
  list,
  LongText,
  Milliseconds,
  Name,
  Path,
  Seconds,
  SmallCount,
  Text,
} from './bounds.js'
import { HistorySettings } from './history.js'
import { AnswerMessage, RequestMessage } from './requests.js'
import { UsageMessage } from './usage.js'

/** Which nodes' values make one at cluster level: sizes, counts and rates add up, percentages and durations average. */
export const Aggregation = z.enum(['sum', 'mean'])
export type Aggregation = z.infer<typeof Aggregation>

/** One metric of a catalogue. `unit` follows the value: `percent`, `bytes`, `bytes/s`, `operations/s`, `seconds`, `count` … */
export const MetricDefinition = z.object({ name: Path, unit: Name, aggregation: Aggregation })
export type MetricDefinition = z.infer<typeof MetricDefinition>

/** A number that the sender counts up per identity, for messages that must not be lost: answered by `ack`. */
const sequence = Count

// Agent to control plane

/** The answer to a challenge; `signature` is Ed25519 over `helloText`, in base64. */
export const Hello = z.object({
  type: z.literal('hello'),
  node_uuid: Name,
  protocol: SmallCount,
  agent_version: Name,
  capabilities: list(Name, 200),
  /** Fields of shares that the agent knows. Absent: those of 0.1.0. */
  share_fields: z.optional(list(Name, 200)),
  /** Fields of a storage login that the agent knows. Absent: those of 0.1.0. */
  storage_fields: z.optional(list(Name, 200)),
  machine_id: Name,
  boot_id: Name,
  hostname: Name,
  /** The agent's own clock in Unix seconds, uncorrected: times in frames and usage follow the same clock. */
  clock: Seconds,
  signature: Name,
})
export type Hello = z.infer<typeof Hello>

export const InventoryMessage = z.object({ type: z.literal('inventory'), sequence, inventory: Inventory })
export type InventoryMessage = z.infer<typeof InventoryMessage>

/** Metrics of one node. */
const maxMetrics = 20_000

/** The order of the values in the frames that follow. A new set of names gets a new id. */
export const CatalogueMessage = z.object({
  type: z.literal('catalogue'),
  id: Count,
  metrics: z.array(MetricDefinition).check(z.maxLength(maxMetrics, `A catalogue has at most ${maxMetrics} metrics.`)),
})
export type CatalogueMessage = z.infer<typeof CatalogueMessage>

/**
 * The order of the columns in chunks of history with this catalogue, which may be older than the one in force. Sent
 * before the first such chunk of a session, unless the session has the same id as `catalogue`.
 */
export const HistoryColumnsMessage = z.object({ ...CatalogueMessage.shape, type: z.literal('history_columns') })
export type HistoryColumnsMessage = z.infer<typeof HistoryColumnsMessage>

/** Usage of the devices named in the last inventory; sent every report interval. */
export const DeviceUsageMessage = z.object({
  type: z.literal('device_usage'),
  time: Seconds,
  devices: list(z.object({ key: DeviceKey, status: InventoryDeviceStatus, figures: z.nullable(FilesystemSpace) })),
})
export type DeviceUsageMessage = z.infer<typeof DeviceUsageMessage>

export const LogMessage = z.object({
  type: z.literal('log'),
  level: z.enum(['info', 'warn', 'error']),
  message: z.string().check(z.maxLength(2000)),
})
export type LogMessage = z.infer<typeof LogMessage>

/** The answer to `plan_request`: a plan, or why there is none. */
export const PlanMessage = z.object({
  type: z.literal('plan'),
  request: Name,
  plan: z.nullable(DeploymentPlan),
  error: z.nullable(Text),
})
export type PlanMessage = z.infer<typeof PlanMessage>

/**
 * A generation that must be confirmed: from its result on, the agent waits so long for the same generation without this
 * field. Otherwise it returns to the former one by itself, also without a connection.
 */
export const Confirmation = z.object({
  within_s: SmallCount,
  /** The generation in force. An agent that has another one in force applies nothing. */
  former: z.object({ generation: Generation, desired: SentState }),
})
export type Confirmation = z.infer<typeof Confirmation>

/** How far a node is with a generation. Only `applied` reports its end. */
export const ProgressMessage = z.object({
  type: z.literal('progress'),
  kind: DeploymentKind,
  generation: Generation,
  state: z.enum(['planned', 'staged']),
})
export type ProgressMessage = z.infer<typeof ProgressMessage>

/** What became of a generation. Numbered: it is kept and repeated until it is acknowledged. */
export const AppliedMessage = z.object({
  type: z.literal('applied'),
  sequence,
  kind: DeploymentKind,
  /** The generation that was asked for; the last one, where a lower one is asked for. */
  generation: Generation,
  outcome: z.enum(['applied', 'failed', 'rolled_back']),
  /** The generation whose files are in force now; 0 where none ever was. */
  in_force: Generation,
  /** One of a gateway's protocols was deployed and the other failed, or shares were left out that are not mounted. */
  partly: z.optional(z.boolean()),
  /** The agent waits for the confirmation of this generation. */
  unconfirmed: z.optional(z.boolean()),
  message: LongText,
  files: list(z.object({ path: Path, sha256: Name })),
})
export type AppliedMessage = z.infer<typeof AppliedMessage>

/** All that is not as the generation in force made it; sent when it changes, and once in each session. */
export const DriftMessage = z.object({
  type: z.literal('drift'),
  kind: DeploymentKind,
  in_force: Generation,
  items: list(DriftedItem),
})
export type DriftMessage = z.infer<typeof DriftMessage>

/** A mount of a share was down, and the agent mounted it again. Numbered: kept until it is acknowledged, or refused five times. */
export const MountRestoredMessage = z.object({
  type: z.literal('mount_restored'),
  sequence,
  share: SmallCount,
  /** Unix seconds. */
  time: Seconds,
  reason: z.string().check(z.maxLength(200)),
})
export type MountRestoredMessage = z.infer<typeof MountRestoredMessage>

/** Heartbeat, both ways: whoever gets `ping` answers `pong` with the same id. */
export const Ping = z.object({ type: z.literal('ping'), id: Count })
export const Pong = z.object({ type: z.literal('pong'), id: Count })

/** Those of an agent measure its clock again, which may have been set since its hello. Agents of 0.1.0 send none. */
const agentClock = { clock: z.optional(Seconds) }
export const AgentPing = z.extend(Ping, agentClock)
export const AgentPong = z.extend(Pong, agentClock)

export const AgentMessage = z.discriminatedUnion('type', [
  Hello,
  InventoryMessage,
  CatalogueMessage,
  HistoryColumnsMessage,
  DeviceUsageMessage,
  UsageMessage,
  LogMessage,
  PlanMessage,
  AnswerMessage,
  ProgressMessage,
  AppliedMessage,
  DriftMessage,
  MountRestoredMessage,
  AgentPing,
  AgentPong,
])
export type AgentMessage = z.infer<typeof AgentMessage>

// Control plane to agent

/** The first message on a stream. */
export const Challenge = z.object({
  type: z.literal('challenge'),
  nonce: Name,
  protocol: SmallCount,
  oldest_protocol: SmallCount,
  /** The control plane's clock in Unix seconds, to show the skew by; it moves the agent's times itself. */
  clock: Seconds,
})
export type Challenge = z.infer<typeof Challenge>

/** The server sets the pace, now and whenever it sends this again. */
export const Settings = z.object({
  type: z.literal('settings'),
  report_interval_ms: IntervalMilliseconds,
  heartbeat_interval_ms: IntervalMilliseconds,
  inventory_interval_ms: IntervalMilliseconds,
  /** After a lost connection, dial again at a random moment of so many milliseconds. Larger for large fleets. */
  reconnect_spread_ms: Milliseconds,
  /** Absent: the agent records no history, and removes what waits. Only to agents with the capability `history`. */
  history: z.optional(HistorySettings),
  /** PEM of the certificate authorities to trust from now on; the agent keeps them. */
  ca: list(LongText, 100),
})
export type Settings = z.infer<typeof Settings>

/** The hello was accepted. `parked` says why this session is not the node's: another machine has its identity. */
export const Welcome = z.object({ type: z.literal('welcome'), node_id: SmallCount, parked: z.nullable(Text) })
export type Welcome = z.infer<typeof Welcome>

/** What would you do? Nothing is changed by asking. */
export const PlanRequest = z.object({ type: z.literal('plan_request'), request: Name, desired: SentState })
export type PlanRequest = z.infer<typeof PlanRequest>

/**
 * What is to hold. Sent when it changes and in each session; a generation that the agent has already answered for is
 * answered again from memory, and one lower than the last is ignored.
 */
export const DesiredMessage = z.object({
  type: z.literal('desired'),
  generation: Generation,
  desired: SentState,
  /** Only to agents with the capability `confirm`. */
  confirm: z.optional(Confirmation),
})
export type DesiredMessage = z.infer<typeof DesiredMessage>

/** The message of that number is stored. */
export const Ack = z.object({ type: z.literal('ack'), sequence })
export type Ack = z.infer<typeof Ack>

/** The other side sent a type that this one does not know; the connection stays. */
export const Unsupported = z.object({ type: z.literal('unsupported'), of: Name })

/** A message could not be taken; the connection stays. */
export const Refused = z.object({
  type: z.literal('refused'),
  of: Name,
  sequence: z.optional(sequence),
  /** The same bytes would be refused again: the agent drops the chunk of that number. */
  permanent: z.optional(z.boolean()),
  message: Text,
})

export const ServerMessage = z.discriminatedUnion('type', [
  Challenge,
  Welcome,
  Settings,
  PlanRequest,
  RequestMessage,
  DesiredMessage,
  Ack,
  Unsupported,
  Refused,
  Ping,
  Pong,
])
export type ServerMessage = z.infer<typeof ServerMessage>

/** What a hello signs: the nonce of the challenge, and everything that decides who the sender is. */
export function helloText(nonce: string, hello: Omit<Hello, 'type' | 'signature'>): string {
  const { node_uuid, machine_id, boot_id, protocol, clock } = hello
  return ['roost hello', nonce, node_uuid, machine_id, boot_id, protocol, clock].join('\n')
}
