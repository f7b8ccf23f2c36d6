import { z } from 'zod'

/** A text of a request whose content no other rule bounds. PostgreSQL stores no NUL. */
export function boundedText(maxLength: number) {
  return z
    .string()
    .max(maxLength)
    .refine((text) => !text.includes('\0'), { error: 'Leave out the character NUL.' })
}
