import * as z from 'zod/mini'

/**
 * THE LIST: the bounds of everything that the protocol carries, in both directions. A value beyond them is refused before any
 * feature sees it. Depth is bounded before a message is parsed (`values/json-depth.ts`), and size by the two sides' `maxPayload`.
 * A test walks every schema of the protocol and fails for a field without bounds.
 */

/** The largest message of an agent, and of the control plane: a desired state has all shares of a gateway. */
export const maxAgentMessageBytes = 1 << 20
export const maxServerMessageBytes = 16 << 20

/** Sizes of files and filesystems: exact as a float64, and below PostgreSQL's int8. */
export const Bytes = z.int().check(z.minimum(0))

/** Sizes of devices for data: 1 PiB is thirty times the largest disk. */
export const DeviceBytes = z.int().check(z.minimum(0), z.maximum(2 ** 50))

/** Things that are counted, and the numbers of messages: up to 2^53 - 1. */
export const Count = z.int().check(z.minimum(0))

/** Cores, ports, indexes of policies, ids of records: what a database or a frame keeps in 32 bits. */
export const SmallCount = z.int().check(z.minimum(0), z.maximum(2 ** 31 - 1))

/** Above the desired one is what a restored backup looks like; no node counts up to a number above this one. */
export const maxGeneration = 2 ** 30
export const Generation = z.int().check(z.minimum(0), z.maximum(maxGeneration))

/** Weights, numbers of replicas and percentages, which may be fractions. */
export const Ratio = z.number().check(z.minimum(0), z.maximum(2 ** 53))

/** What a check compares: a count, an age in seconds, a share in percent or a number of bytes. */
export const Measured = z.number().check(z.minimum(0), z.maximum(2 ** 53))

/** Unix seconds, or a duration in seconds. */
export const Seconds = z.number().check(z.minimum(0), z.maximum(2 ** 40))

/** What a timer accepts: a longer time would end at once. */
export const Milliseconds = z.number().check(z.minimum(0), z.maximum(2 ** 31 - 1))
export const IntervalMilliseconds = z.number().check(z.minimum(1), z.maximum(2 ** 31 - 1))

/** Names and identifiers that people and programs give: hosts, disks, versions, policies, addresses. */
export const Name = z.string().check(z.maxLength(512))

/** What a node is known by to the control plane, in every spelling of PostgreSQL's with dashes. */
export const NodeUuid = z.string().check(z.maxLength(36), z.regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i))

/** Passwords and keys: the longest that the API accepts has 1,024 characters. */
export const Secret = z.string().check(z.maxLength(1024))

/** What names a device of a node, such as its mount point: the database keeps it in an index. */
export const DeviceKey = z.string().check(z.maxLength(1024))

/** Paths of files and objects, mount points, names of metrics, which contain mount points. */
export const Path = z.string().check(z.maxLength(8192))

/** A message for an operator. */
export const Text = z.string().check(z.maxLength(1 << 16))

/** A diff, a certificate, the outcome of a deployment with a sentence for each share. */
export const LongText = z.string().check(z.maxLength(maxAgentMessageBytes))

/** A list; no machine, deployment or message has more of anything than the largest that is allowed here by default. */
export function list<T extends z.ZodMiniType>(item: T, max = 10_000) {
  return z.array(item).check(z.maxLength(max))
}

/** A table with a bounded number of keys. */
export function table<T extends z.ZodMiniType>(value: T, max: number) {
  return z
    .record(Name, value)
    .check(z.refine((fields) => Object.keys(fields).length <= max, `There may be at most ${max} fields.`))
    .register(z.globalRegistry, { maxProperties: max })
}

/** How far the time of a reading may be from the control plane's clock, after the difference of the two clocks is subtracted. */
export const readingToleranceSeconds = 86_400

/** How far ahead of the control plane's clock a half-hour of usage may begin; its beginning is the retention's. */
export const halfHourAheadSeconds = 3_600
