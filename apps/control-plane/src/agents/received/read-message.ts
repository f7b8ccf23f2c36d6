import {
  AgentPing,
  AgentPong,
  AnswerMessage,
  AppliedMessage,
  CatalogueMessage,
  DeviceUsageMessage,
  DriftMessage,
  HistoryColumnsMessage,
  InventoryMessage,
  LogMessage,
  MountRestoredMessage,
  PlanMessage,
  ProgressMessage,
  UsageMessage,
} from '@roost/api-types/agent'
import { safeParse } from 'zod/mini'
import { parseMessage, type RawMessage } from './raw-message.js'

/** THE LIST: what an agent may send in a session. */
const schemas = {
  ping: AgentPing,
  pong: AgentPong,
  inventory: InventoryMessage,
  catalogue: CatalogueMessage,
  history_columns: HistoryColumnsMessage,
  device_usage: DeviceUsageMessage,
  usage: UsageMessage,
  mount_restored: MountRestoredMessage,
  log: LogMessage,
  plan: PlanMessage,
  answer: AnswerMessage,
  progress: ProgressMessage,
  applied: AppliedMessage,
  drift: DriftMessage,
} as const

type Schemas = typeof schemas
export type SessionMessage = {
  [Type in keyof Schemas]: Schemas[Type]['_zod']['output'] & { readonly type: Type }
}[keyof Schemas]

/** A valid message, or which field is not valid; undefined for a type that is not known here. */
export type CheckedMessage = { readonly message: SessionMessage } | { readonly issue: string } | undefined

export function checkMessage(raw: RawMessage): CheckedMessage {
  if (!Object.hasOwn(schemas, raw.type)) return undefined
  const parsed = safeParse(schemas[raw.type as keyof Schemas], raw)
  if (parsed.success) return { message: parsed.data as SessionMessage }
  const issue = parsed.error.issues[0]
  return { issue: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}` }
}

/** A message that is JSON with a type. */
export interface ReadMessage {
  readonly raw: RawMessage
  /** Checks it against its schema, once. */
  check(): CheckedMessage
}

/** Reads a message on this thread. Returns undefined for what `parseMessage` refuses. */
export function readMessage(data: Buffer): ReadMessage | undefined {
  const raw = parseMessage(data)
  if (raw === undefined) return undefined
  let result: { readonly checked: CheckedMessage } | undefined
  return { raw, check: () => (result ??= { checked: checkMessage(raw) }).checked }
}
