/** Exit codes for scripts; 0 is success. */
export const exitCodes = {
  error: 1,
  usage: 2,
  notFound: 3,
  conflict: 4,
  /** A deployment reached some of its targets. */
  partly: 5,
  unauthorized: 6,
  timeout: 7,
  /** `roost status`: a cluster warns, or is critical. */
  warning: 8,
  critical: 9,
  /** The operator answered a question with no. */
  declined: 10,
  /** `roost local restore --keep-history`: the history in the database does not fit the backup. */
  historyDiffers: 11,
} as const

/** Ends a command with an exit code, after its message on standard error. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.error) {
    super(message)
    this.exitCode = exitCode
  }
}
