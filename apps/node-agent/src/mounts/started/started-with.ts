import * as z from 'zod/mini'

const StartedWith = z.object({
  /** The fingerprint of the specification. */
  spec: z.string(),
  /** Arguments of the program; null for a mount of 0.1.0, which did not record them. */
  arguments: z.nullable(z.readonly(z.array(z.string()))),
  /** The size of its cache, which is not among the arguments. */
  cacheMegabytes: z.optional(z.number()),
})
/** Records how a running mount was started, maybe by an earlier version of the agent. */
export type StartedWith = z.infer<typeof StartedWith>

/** Parses a record; undefined for a text that no version wrote. */
export function parseStartedWith(text: string): StartedWith | undefined {
  if (/^[0-9a-f]{64}$/.test(text)) return { spec: text, arguments: null }
  try {
    return StartedWith.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Compares two records, without the sizes of the caches. */
export function isSameStart(one: StartedWith, other: StartedWith): boolean {
  return one.spec === other.spec && JSON.stringify(one.arguments) === JSON.stringify(other.arguments)
}
