import * as z from 'zod/mini'
import { Count, Generation } from './numbers.js'

/** Bytes and numbers of things. */
const amount = z.int().check(z.minimum(0))
/** Unix seconds, or a duration. */
const seconds = z.number().check(z.minimum(0), z.maximum(2 ** 40))

const objectName = z.string().check(z.maxLength(8192))
/** In one request. */
const maxRemovals = 200

/** What a share has not uploaded, as the agent counted it last. Null: the mount does not answer. */
export const ShareUploadsAnswer = z.object({
  dirty_files: amount,
  dirty_bytes: amount,
  oldest_dirty_seconds: seconds,
  cache_bytes: z.nullable(amount),
  uploads_queued: z.nullable(amount),
  upload_errors: z.nullable(amount),
  out_of_space: z.nullable(z.boolean()),
  /** Objects under the names that files had before they were renamed during their upload. */
  leftover_files: amount,
  /** Those that wait longest. */
  oldest: z.array(z.object({ path: objectName, bytes: amount, changed: seconds })).check(z.maxLength(20)),
  /** The oldest. */
  leftovers: z
    .array(z.object({ name: objectName, size_bytes: amount, renamed_to: objectName, since: seconds }))
    .check(z.maxLength(20)),
})
export type ShareUploadsAnswer = z.infer<typeof ShareUploadsAnswer>

/** What became of each leftover that was to be removed. */
export const LeftoverRemoval = z.object({
  removed: z.array(objectName).check(z.maxLength(maxRemovals)),
  kept: z.array(z.object({ name: objectName, reason: z.string() })).check(z.maxLength(maxRemovals)),
})
export type LeftoverRemoval = z.infer<typeof LeftoverRemoval>

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
    result: z.object({ ended: Count, notes: z.array(z.string()) }),
  },
  /** Remove leftovers of renames from Swift: these, or the oldest. Each is checked again before. */
  remove_leftovers: {
    since: 2,
    parameters: z.object({
      share: z.number(),
      names: z.nullable(z.array(objectName).check(z.maxLength(maxRemovals))),
    }),
    result: LeftoverRemoval,
  },
  /** What does this share hold that is not in Swift? */
  share_uploads: { since: 2, parameters: z.object({ share: z.number() }), result: ShareUploadsAnswer },
} as const satisfies Readonly<Record<string, KindOfRequest>>

export type RequestKind = keyof typeof requestKinds
export type RequestParameters<K extends RequestKind> = z.infer<(typeof requestKinds)[K]['parameters']>
export type RequestResult<K extends RequestKind> = z.infer<(typeof requestKinds)[K]['result']>

/** Control plane to agent: answered by `answer` with the same id, also when the agent does not know the kind. */
export const RequestMessage = z.object({
  type: z.literal('request'),
  id: z.string(),
  kind: z.string(),
  parameters: z.unknown(),
})
export type RequestMessage = z.infer<typeof RequestMessage>

/** Agent to control plane: the result of a request by its kind, or why there is none. */
export const AnswerMessage = z.object({
  type: z.literal('answer'),
  id: z.string(),
  result: z.unknown(),
  error: z.nullable(z.string().check(z.maxLength(2000))),
})
export type AnswerMessage = z.infer<typeof AnswerMessage>
