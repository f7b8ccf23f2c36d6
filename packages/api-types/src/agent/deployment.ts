import * as z from 'zod/mini'
import { _default } from 'zod/mini'
import { settingShape, shareSettingRows } from '../values/share-settings.js'
import type { ShareSetting } from '../values/share-settings.js'
import { shareFieldsOf010 } from './share-fields-0.1.0.js'

/**
 * What can be deployed to a node: the shares of a gateway, or a cluster's users on a proxy. Each kind has its own
 * generations on each node, one planner and one applier.
 */
export const DeploymentKind = z.enum(['gateway', 'user_db'])
export type DeploymentKind = z.infer<typeof DeploymentKind>

const Identity = {
  id: z.number(),
  name: z.string(),
  objectstore_container: z.string(),
  /** By which the node's servers know the export; 16 bits, never used again. */
  export_number: z.number(),
}

/** Agents of 0.1.0 need a value for each setting that they know; later settings are left out at their defaults. */
const isAlwaysSent = (name: string) => shareFieldsOf010.includes(name)
const sent = ({ value: { type }, default: absent }: ShareSetting, name: string) =>
  isAlwaysSent(name) ? type : _default(type, absent)

/** An enabled share as the gateway needs it; one that is disabled is not sent. */
export const DesiredShare = z.discriminatedUnion('protocol', [
  z.strictObject({
    ...Identity,
    protocol: z.literal('nfs'),
    ...settingShape('every', sent),
    ...settingShape('nfs', sent),
  }),
  z.strictObject({
    ...Identity,
    protocol: z.literal('cifs'),
    ...settingShape('every', sent),
    ...settingShape('cifs', sent),
    /** Of the account `share-<id>`; null where the share has no login of its own. */
    password: z.nullable(z.string()),
  }),
])
export type DesiredShare = z.infer<typeof DesiredShare>

/** With what a gateway mounts containers; null until an operator has set it. */
export const StorageLogin = z.strictObject({ auth_url: z.string(), user: z.string(), key: z.string() })
export type StorageLogin = z.infer<typeof StorageLogin>

/** An enabled user; one that is disabled or removed is not sent, and its tokens are to be revoked. */
export const DesiredUser = z.strictObject({ user: z.string(), password: z.string(), is_superuser: z.boolean() })
export type DesiredUser = z.infer<typeof DesiredUser>

/** Everything that one kind of deployment puts on a node. Strict: a field that the agent does not know is an error. */
export const DesiredState = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('gateway'), shares: z.array(DesiredShare), storage: z.nullable(StorageLogin) }),
  z.strictObject({ kind: z.literal('user_db'), users: z.array(DesiredUser) }),
])
export type DesiredState = z.infer<typeof DesiredState>

/**
 * A desired state as a message carries it. An agent validates it with `readDesiredState` when it applies or plans it, so that
 * it can answer with the reason.
 */
export const SentState = z.looseObject({ kind: DeploymentKind })
export type SentState = z.infer<typeof SentState>

/** A desired state that this agent cannot read completely, so that it applies no part of it. */
export class DesiredStateError extends Error {
  override readonly name = 'DesiredStateError'
}

/** Returns the state, or throws DesiredStateError. The message names fields, never values: they may be passwords. */
export function readDesiredState(sent: SentState): DesiredState {
  const read = DesiredState.safeParse(sent)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const keys = issue?.code === 'unrecognized_keys' ? issue.keys : []
  const field = [...(issue?.path ?? []), ...keys.slice(0, 1)].join('.')
  throw new DesiredStateError(
    keys.length > 0
      ? `This agent does not know the setting ${field}: upgrade the agent.`
      : `This agent cannot read ${field} of the desired state: upgrade the agent.`,
  )
}

/** Returns the state as it is sent: without the settings that are newer than 0.1.0 and have their defaults. */
export function withoutDefaults(state: DesiredState): SentState {
  if (state.kind !== 'gateway') return state
  const absent = new Map<string, unknown>(
    shareSettingRows.filter(([name]) => !isAlwaysSent(name)).map(([name, row]) => [name, row.default]),
  )
  const shares = state.shares.map((share) =>
    Object.fromEntries(
      Object.entries(share).filter(([name, value]) => !absent.has(name) || absent.get(name) !== value),
    ),
  )
  return { ...state, shares }
}

/** Every field of a share that this version knows. An agent sends them with its hello. */
export const knownShareFields: readonly string[] = [
  ...new Set(DesiredShare.def.options.flatMap((variant) => Object.keys(variant.shape))),
]

export const PlannedFile = z.object({
  path: z.string(),
  change: z.enum(['create', 'change', 'remove']),
  /** Unified; secrets are masked, and what is very long is cut with a line that says so. */
  diff: z.string(),
})

/** A client that a daemon serves now and that its action would cut off. */
export const LostSession = z.object({ share: z.string(), client: z.string(), user: z.nullable(z.string()) })

export type LostSession = z.infer<typeof LostSession>

export const DaemonAction = z.object({
  daemon: z.string(),
  action: z.enum(['none', 'reload', 'close-share', 'restart']),
  sessions_lost: z.array(LostSession),
})

/** What a deployment would do on a node, before it does it. Of the same desired state on the same node, the same. */
export const DeploymentPlan = z.object({
  files: z.array(PlannedFile),
  daemons: z.array(DaemonAction),
  mounts: z.object({ started: z.array(z.string()), stopped: z.array(z.string()) }),
  /** What an operator should know before, one sentence each. */
  notes: z.array(z.string()),
})
export type DeploymentPlan = z.infer<typeof DeploymentPlan>

/** A share as a file that was changed by hand has it: fields of the API with their values, for a PATCH. */
export const AdoptableShare = z.object({
  id: z.number(),
  fields: z.record(z.string(), z.union([z.string(), z.boolean(), z.number()])),
})
export type AdoptableShare = z.infer<typeof AdoptableShare>

/** A file or a live export that is not as the applied generation made it. */
export const DriftedItem = z.object({
  subject: z.string(),
  message: z.string(),
  diff: z.string(),
  /** With these changes of shares, and no others, the item would be as it is now; without it, it maps to no fields. */
  adoptable: z.optional(z.array(AdoptableShare)),
})
export type DriftedItem = z.infer<typeof DriftedItem>
