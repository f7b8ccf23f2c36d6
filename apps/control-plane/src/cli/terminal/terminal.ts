/** How a command prints, as the global options and the environment ask for it. */
export interface Style {
  color: boolean
  pager: string | null
  /** Messages and progress on standard error are left out. */
  quiet: boolean
  /** The message of a failed command is printed as JSON. */
  hasJsonErrors: boolean
  /** Writes are only checked. */
  isDryRun: boolean
}

/** The input and output of a command. */
export interface Terminal {
  readonly in: NodeJS.ReadStream
  readonly out: NodeJS.WriteStream
  readonly err: NodeJS.WriteStream
  /** Aborted when the process gets a signal to end. */
  readonly stopping: AbortSignal
  readonly style: Style
}
