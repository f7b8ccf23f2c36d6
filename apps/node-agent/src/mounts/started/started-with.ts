import * as z from 'zod/mini'

const StartedWith = z.object({
  /** The fingerprint of the specification. */
  spec: z.string(),
  /** Of the program; null where 0.1.0 started it, which did not record them. */
  arguments: z.nullable(z.readonly(z.array(z.string()))),
  /** The size of its cache, which is not among the arguments. */
  cacheMegabytes: z.optional(z.number()),
})
/** What a running mount was started with. It may be an earlier version of the agent that started it. */
export type StartedWith = z.infer<typeof StartedWith>

/** Undefined for a text that no version wrote. */
export function parseStartedWith(text: string): StartedWith | undefined {
  if (/^[0-9a-f]{64}$/.test(text)) return { spec: text, arguments: null }
  try {
    return StartedWith.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Whatever the sizes of their caches. */
export function isSameStart(one: StartedWith, other: StartedWith): boolean {
  return one.spec === other.spec && JSON.stringify(one.arguments) === JSON.stringify(other.arguments)
}
