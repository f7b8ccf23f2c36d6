import * as z from 'zod/mini'
import { Bytes, Count, Generation, list, Name, Path, Seconds, SmallCount, Text } from './bounds.js'
import { proxyAuthentications } from '../values/proxy-authentication.js'
import { AgentUpgrade, AgentUpgradeProgress } from './upgrade.js'

/** Files and leftovers that an answer names. */
const maxNamed = 20
/** In one request. */
const maxRemovals = 200
/** Twice the users of a cluster: removed ones may wait, too. */
const maxUsers = 8_192
/** What fits into a message of an agent; a cluster has at most 4,096 users. */
export const maxProxyUsers = 5_000

/** What a share has not uploaded, as the agent counted it last. Null: the mount does not answer. */
export const ShareUploadsAnswer = z.object({
  dirty_files: Count,
  dirty_bytes: Bytes,
  oldest_dirty_seconds: Seconds,
  cache_bytes: z.nullable(Bytes),
  uploads_queued: z.nullable(Count),
  upload_errors: z.nullable(Count),
  out_of_space: z.nullable(z.boolean()),
  /** Objects under the names that files had before they were renamed during their upload. */
  leftover_files: Count,
  /** Those that wait longest. */
  oldest: list(z.object({ path: Path, bytes: Bytes, changed: Seconds }), maxNamed),
  /** The oldest. */
  leftovers: list(z.object({ name: Path, size_bytes: Bytes, renamed_to: Path, since: Seconds }), maxNamed),
})
export type ShareUploadsAnswer = z.infer<typeof ShareUploadsAnswer>

/** What became of each leftover that was to be removed. */
export const LeftoverRemoval = z.object({
  removed: list(Path, maxRemovals),
  kept: list(z.object({ name: Path, reason: Text }), maxRemovals),
})
export type LeftoverRemoval = z.infer<typeof LeftoverRemoval>

/** A user that the operator of a cluster has in the tempauth of a proxy. Its key never leaves the node. */
export const ProxyUser = z.object({
  /** The name of its line. */
  line: Name,
  /** `<account>:<user>` */
  login: Name,
  /** With the prefix, such as `AUTH_test`. */
  account: Name,
  /** What follows the key in its line. */
  groups: list(Name, 100),
  /** The file that has the line. */
  file: Path,
  /** HMAC of the key by the salt of the request, so that the answers of several proxies can be compared. */
  key_mac: Name,
  /** Why it cannot be adopted, or null. */
  problem: z.nullable(Text),
})
export type ProxyUser = z.infer<typeof ProxyUser>

/** What a kind of request carries, what its answer carries, and the oldest protocol version whose agents know it. */
interface KindOfRequest {
  readonly since: number
  readonly parameters: z.ZodMiniType
  readonly result: z.ZodMiniType
}

/**
 * THE LIST: every kind of request from the control plane to an agent. A new kind is an entry here and a handler in the
 * agent's `RequestHandlers`; the control plane asks with `agents/requests.ts`.
 */
export const requestKinds = {
  /** End the tokens of the users that the generation in force changed or removed, on every memcached of the proxy. */
  end_tokens: {
    since: 2,
    parameters: z.object({ generation: Generation }),
    result: z.object({ ended: Count, notes: list(Text) }),
  },
  /**
   * Remove what the proxies of this node have cached of users of Keystone, by their ids there. `remain_s`: for how long tokens that
   * were validated before may still be accepted, since `notes` say what could not be removed. Protocol 2 knows it since 2026-11-23.
   */
  end_cached_tokens: {
    since: 2,
    parameters: z.object({ users: list(Name, maxUsers) }),
    result: z.object({ ended: Count, remain_s: Seconds, notes: list(Text) }),
  },
  /** Which users has the operator in the tempauth of this node's proxy? Protocol 2 knows it since 2026-11-24. */
  proxy_users: {
    since: 2,
    parameters: z.object({ salt: Name }),
    result: z.object({ users: list(ProxyUser, maxProxyUsers) }),
  },
  /** How does the running proxy of this node authenticate now? Null: unknown. Protocol 2 knows it since 2026-11-27. */
  proxy_authentication: {
    since: 2,
    parameters: z.object({}),
    result: z.object({ authentication: z.nullable(z.enum(proxyAuthentications)) }),
  },
  /** Remove leftovers of renames from Swift: these, or the oldest. Each is checked again before. */
  remove_leftovers: {
    since: 2,
    parameters: z.object({
      share: SmallCount,
      names: z.nullable(list(Path, maxRemovals)),
    }),
    result: LeftoverRemoval,
  },
  /** What does this share hold that is not in Swift? */
  share_uploads: { since: 2, parameters: z.object({ share: SmallCount }), result: ShareUploadsAnswer },
  /** Upgrade the agent, and report how far it is: asked again until it has ended. */
  upgrade: { since: 2, parameters: AgentUpgrade, result: AgentUpgradeProgress },
} as const satisfies Readonly<Record<string, KindOfRequest>>

export type RequestKind = keyof typeof requestKinds
export type RequestParameters<K extends RequestKind> = z.infer<(typeof requestKinds)[K]['parameters']>
export type RequestResult<K extends RequestKind> = z.infer<(typeof requestKinds)[K]['result']>

/** Control plane to agent: answered by `answer` with the same id, also when the agent does not know the kind. */
export const RequestMessage = z.object({
  type: z.literal('request'),
  id: Name,
  kind: Name,
  parameters: z.unknown(),
})
export type RequestMessage = z.infer<typeof RequestMessage>

/** Agent to control plane: the result of a request by its kind, or why there is none. */
export const AnswerMessage = z.object({
  type: z.literal('answer'),
  id: Name,
  result: z.unknown(),
  error: z.nullable(z.string().check(z.maxLength(2000))),
})
export type AnswerMessage = z.infer<typeof AnswerMessage>
