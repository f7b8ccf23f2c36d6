import { z } from 'zod'
import { reservedShareNames, shareNamePattern } from '../values/share-patterns.js'

export const ShareName = z
  .string()
  .regex(
    shareNamePattern,
    'Use 1 to 64 letters, digits, dots, underscores, dashes or blanks, and begin with a letter, a digit or an underscore.',
  )
  .refine((name) => !name.endsWith(' '), { error: 'Remove the space at the end of the name.' })
  .refine((name) => !reservedShareNames.has(name.toLowerCase()), {
    error: `These names are reserved: ${[...reservedShareNames].join(', ')}. Choose another name.`,
  })

/** A name of a Swift container. Paths on a gateway come from the share's id, so that these checks are the second wall. */
export const ContainerName = z
  .string()
  .min(1, 'This field may not be empty.')
  .refine((name) => new TextEncoder().encode(name).length <= 256, { error: 'Ensure this value has at most 256 bytes.' })
  .refine((name) => !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(name), {
    error: 'Leave out control characters.',
  })
  .refine((name) => !climbs(name), { error: "Use a container name without '/' that is not '.' or '..'." })

/** Whether a name is a path step, as it stands or in a disguise that some program on its way may take off. */
function climbs(name: string): boolean {
  const plain = name.normalize('NFKC').replace(/%2e/gi, '.').replace(/%2f/gi, '/')
  return name.includes('/') || plain.startsWith('/') || /(?:^|\/)\.\.?(?:\/|$)/.test(plain)
}

export const SharePassword = z
  .string()
  .min(8)
  .max(128)
  .regex(/^[!-~]*$/, 'Use printable ASCII characters without blanks.')
