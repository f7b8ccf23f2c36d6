import * as z from 'zod/mini'
import { parseShareClient, splitList } from './share-clients.js'
import { accountNamePattern, fileMaskPattern } from './share-patterns.js'

/** The longest text of a list. */
const maxListLength = 16_384

/**
 * What values a setting has. Messages and answers carry `type`; what a client sends, and what reaches the configuration of a
 * server, follows `rule`.
 */
export type ShareValue<S extends z.ZodMiniType = z.ZodMiniType> = {
  readonly type: S
  readonly rule: z.ZodMiniType<z.output<S>>
} & (
  | { readonly kind: 'flag' | 'mode' | 'clients' | 'accounts' }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  | { readonly kind: 'number'; readonly min: number; readonly max: number; readonly isOptional: boolean }
)

const text = z.string().check(z.maxLength(maxListLength))
const bool = z.boolean()

export const flag = { kind: 'flag', type: bool, rule: bool } as const

export function choice<const T extends readonly [string, ...string[]]>(...options: T) {
  const type = z.enum(options)
  return { kind: 'choice', options, type, rule: type } as const
}

export function integer(unit: string, min: number, max: number) {
  return { kind: 'number', min, max, isOptional: false, type: z.int(), rule: bounded(unit, min, max) } as const
}

/** Null: the gateway decides. */
export function optionalNumber(unit: string, min: number, max: number) {
  const rule = z.nullable(bounded(unit, min, max))
  return { kind: 'number', min, max, isOptional: true, type: z.nullable(z.int()), rule } as const
}

/** Three or four octal digits. */
export const fileMode = {
  kind: 'mode',
  type: text,
  rule: text.check(z.regex(fileMaskPattern, 'Enter a file mode as three or four octal digits, such as 0664.')),
} as const

export const clientList = {
  kind: 'clients',
  type: text,
  rule: listText({
    passes: (entry) => parseShareClient(entry) !== undefined,
    fault: 'is not an IPv4 address, subnet, domain name, .suffix or @netgroup',
    emptyMeans: 'every client',
  }),
} as const

/** Users or groups as Samba reads them. */
export const accountList = {
  kind: 'accounts',
  type: text,
  rule: listText({
    passes: (entry) => accountNamePattern.test(entry),
    fault: 'is not a name of a user or a group',
    emptyMeans: 'no restriction',
  }),
} as const

function bounded(unit: string, min: number, max: number) {
  return z.int(`Enter a whole number of ${unit}.`).check(z.minimum(min), z.maximum(max))
}

interface ListRule {
  readonly passes: (entry: string) => boolean
  readonly fault: string
  /** What the empty text means, for the message. */
  readonly emptyMeans: string
}

/**
 * A text whose entries, separated by commas or blanks, must each pass; the first few that do not are named. Separators
 * alone are refused: the text would mean the same as the empty one, by a slip.
 */
function listText({ passes, fault, emptyMeans }: ListRule) {
  return text.check(
    z.superRefine((list, context) => {
      if (list.length > maxListLength) return
      const refuse = (message: string) => context.addIssue({ code: 'custom', message })
      const entries = splitList(list)
      if (list !== '' && entries.length === 0)
        refuse(`The list contains only separators. Give an entry, or send an empty string for ${emptyMeans}.`)
      const wrong = entries.filter((entry) => !passes(entry))
      for (const entry of wrong.slice(0, 3)) refuse(`${JSON.stringify(entry.slice(0, 80))} ${fault}.`)
    }),
  )
}
