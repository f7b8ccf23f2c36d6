/** A failure of a command as it is printed: the cause in a sentence, what to do about it, and how the command ends. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly remedy: string | null
  readonly exitCode: number

  constructor(
    cause: string,
    { remedy = null, exitCode = exitCodes.failed }: { remedy?: string | null; exitCode?: number } = {},
  ) {
    super(cause)
    this.remedy = remedy
    this.exitCode = exitCode
  }
}

export const exitCodes = {
  ok: 0,
  failed: 1,
  /** Wrong arguments or configuration. */
  usage: 2,
  /** An operator removed this node: starting again does not help, enrolling does. */
  removed: 3,
  notEnrolled: 4,
} as const
