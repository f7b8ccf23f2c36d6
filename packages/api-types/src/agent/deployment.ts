import * as z from 'zod/mini'
import { _default } from 'zod/mini'
import { settingShape, shareSettingRows } from '../values/share-settings.js'
import type { ShareSetting } from '../values/share-settings.js'
import { list, LongText, Name, Path, Secret, SmallCount, table, Text } from './bounds.js'
import { shareFieldsOf010 } from './share-fields-0.1.0.js'

/**
 * What can be deployed to a node: the shares of a gateway, or a cluster's users on a proxy. Each kind has its own
 * generations on each node, one planner and one applier.
 */
export const DeploymentKind = z.enum(['gateway', 'user_db'])
export type DeploymentKind = z.infer<typeof DeploymentKind>

const Identity = {
  id: SmallCount,
  name: Name,
  objectstore_container: Path,
  /** By which the node's servers know the export; 16 bits, never used again. */
  export_number: SmallCount,
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
    password: z.nullable(Secret),
  }),
])
export type DesiredShare = z.infer<typeof DesiredShare>

/** The login with which a gateway mounts containers. The optional fields are newer than 0.1.0 and left out where they are not used. */
export const StorageLogin = z.strictObject({
  auth_url: Path,
  /** Empty for an application credential that is named by its id. */
  user: Path,
  key: Path,
  /** Absent: version 1. Versions 2 and 3 are Keystone's. */
  auth_version: z.optional(z.literal([2, 3])),
  user_domain: z.optional(Name),
  project: z.optional(Name),
  project_domain: z.optional(Name),
  region: z.optional(Name),
  interface: z.optional(z.enum(['public', 'internal', 'admin'])),
  application_credential_id: z.optional(Name),
  application_credential_name: z.optional(Name),
  /** PEM of the authorities to trust for authentication and storage. Absent: those of the machine. */
  ca: z.optional(Text),
})
export type StorageLogin = z.infer<typeof StorageLogin>

/** The fields of a storage login that agents of 0.1.0 know. Their hello does not list them. Never add one. */
export const storageFieldsOf010: readonly string[] = ['auth_url', 'user', 'key']

/** Of an agent that returns by itself to its former generation unless a deployment is confirmed. */
export const confirmCapability = 'confirm'

/** Every field of a storage login that this version knows. An agent sends them with its hello. */
export const knownStorageFields: readonly string[] = Object.keys(StorageLogin.shape)

/** An enabled user; one that is disabled or removed is not sent, and its tokens are to be revoked. */
export const DesiredUser = z.strictObject({
  user: Name,
  /** Null: the user was adopted, and only the proxies know its key. */
  password: z.nullable(Secret),
  is_superuser: z.boolean(),
  /** Of an adopted user: the name of its line in tempauth, and what follows the key there. */
  adopted: z.optional(z.strictObject({ line: Name, groups: list(Name, 100) })),
})
export type DesiredUser = z.infer<typeof DesiredUser>

/** Everything that one kind of deployment puts on a node. Strict: a field that the agent does not know is an error. */
export const DesiredState = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('gateway'), shares: list(DesiredShare), storage: z.nullable(StorageLogin) }),
  z.strictObject({
    kind: z.literal('user_db'),
    users: list(DesiredUser, 1_000_000),
    /** Lines of adopted users that are disabled or were removed: where the operator's configuration has them, no client may log in by them. */
    blocked: z.optional(list(Name, 1_000_000)),
  }),
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
  path: Path,
  change: z.enum(['create', 'change', 'remove']),
  /** Unified; secrets are masked, and what is very long is cut with a line that says so. */
  diff: LongText,
})

/** A client that a daemon serves now and that its action would cut off. */
export const LostSession = z.object({ share: Path, client: Name, user: z.nullable(Name) })

export type LostSession = z.infer<typeof LostSession>

export const DaemonAction = z.object({
  daemon: Name,
  action: z.enum(['none', 'reload', 'close-share', 'restart']),
  sessions_lost: list(LostSession),
})

/** What a deployment would do on a node, before it does it. Of the same desired state on the same node, the same. */
export const DeploymentPlan = z.object({
  files: list(PlannedFile),
  daemons: list(DaemonAction),
  mounts: z.object({ started: list(Path), stopped: list(Path) }),
  /** What an operator should know before, one sentence each. */
  notes: list(Text),
})
export type DeploymentPlan = z.infer<typeof DeploymentPlan>

/** A share as a file that was changed by hand has it: fields of the API with their values, for a PATCH. */
export const AdoptableShare = z.object({
  id: SmallCount,
  fields: table(z.union([Text, z.boolean(), z.int()]), 200),
})
export type AdoptableShare = z.infer<typeof AdoptableShare>

/** A file or a live export that is not as the applied generation made it. */
export const DriftedItem = z.object({
  subject: Path,
  message: Text,
  diff: LongText,
  /** With these changes of shares, and no others, the item would be as it is now; without it, it maps to no fields. */
  adoptable: z.optional(list(AdoptableShare)),
})
export type DriftedItem = z.infer<typeof DriftedItem>
