import { z } from 'zod'
import { parseShareClient, splitList } from '../values/share-clients.js'
import { accountNamePattern, fileMaskPattern, reservedShareNames, shareNamePattern } from '../values/share-patterns.js'

/** Longest text of a list field. */
const maxListLength = 16_384

export const ShareName = z
  .string()
  .regex(
    shareNamePattern,
    'Use 1 to 64 letters, digits, dots, underscores, dashes or blanks, and begin with a letter, a digit or an underscore.',
  )
  .refine((name) => !name.endsWith(' '), { error: 'A name may not end in a blank.' })
  .refine((name) => !reservedShareNames.has(name.toLowerCase()), {
    error: `These names have a meaning of their own: ${[...reservedShareNames].join(', ')}.`,
  })

/** A name of a Swift container. Paths on a gateway come from the share's id, so that these checks are the second wall. */
export const ContainerName = z
  .string()
  .min(1, 'This field may not be empty.')
  .refine((name) => Buffer.byteLength(name) <= 256, { error: 'Ensure this value has at most 256 bytes.' })
  .refine((name) => !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(name), {
    error: 'Leave out control characters.',
  })
  .refine((name) => !climbs(name), { error: "A container's name has no / and is not . or .." })

/** Whether a name is a path step, as it stands or in a disguise that some program on its way may take off. */
function climbs(name: string): boolean {
  const plain = name.normalize('NFKC').replace(/%2e/gi, '.').replace(/%2f/gi, '/')
  return name.includes('/') || plain.startsWith('/') || /(?:^|\/)\.\.?(?:\/|$)/.test(plain)
}

export const UploadDelay = z.int('Enter a whole number of seconds.').min(0).max(86_400)

const minCacheMegabytes = 16
/** What fits in the database's column: 2 PB. */
const maxCacheMegabytes = 2_147_483_647

export const CacheSize = z
  .int('Enter a whole number of megabytes.')
  .min(minCacheMegabytes)
  .max(maxCacheMegabytes)
  .nullable()

export const ClientsAllowedList = listText(
  (entry) => parseShareClient(entry) !== undefined,
  'is no IPv4 address, subnet, domain name, .suffix or @netgroup',
)

/** Users or groups as Samba takes them. */
export const AccountList = listText((entry) => accountNamePattern.test(entry), 'is no name of a user or a group')

export const FileMask = z
  .string()
  .regex(fileMaskPattern, 'Enter a file mode as three or four octal digits, such as 0664.')

export const SharePassword = z
  .string()
  .min(8)
  .max(128)
  .regex(/^[!-~]*$/, 'Use printable ASCII characters without blanks.')

/** A text whose entries, separated by commas or blanks, must each pass; the first few that do not are named. */
function listText(passes: (entry: string) => boolean, fault: string) {
  return z
    .string()
    .max(maxListLength)
    .superRefine((text, context) => {
      if (text.length > maxListLength) return
      for (const entry of splitList(text)
        .filter((entry) => !passes(entry))
        .slice(0, 3))
        context.addIssue({ code: 'custom', message: `${JSON.stringify(entry.slice(0, 80))} ${fault}.` })
    })
}
