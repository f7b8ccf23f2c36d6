/** Why the database cannot be used, as one word to branch on; the message is a sentence for the operator. */
export type DatabaseErrorCode =
  | 'unusable'
  | 'disk_full'
  | 'in_use'
  | 'unreachable'
  | 'newer'
  | 'migration'
  | 'history_differs'

export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  readonly code: DatabaseErrorCode

  constructor(code: DatabaseErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

/** What an error says, in one line. An AggregateError of several addresses tried has no message of its own. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(reasonOf).join(', ')
  const text = error instanceof Error ? error.message : String(error)
  return text.trim().split('\n').at(-1) ?? ''
}
