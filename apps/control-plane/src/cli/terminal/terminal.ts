/** The input and output of a command. */
export interface Terminal {
  readonly out: NodeJS.WriteStream
  readonly err: NodeJS.WriteStream
  /** Aborted when the process gets a signal to end. */
  readonly stopping: AbortSignal
}
