/** The reason why the control plane cannot start, with what to do. */
export class StartError extends Error {
  override readonly name: string = 'StartError'
  readonly exitCode: number = 1
}

/** Another program uses the port. It has an exit code of its own, because a supervisor must not repeat the start. */
export class PortInUseError extends StartError {
  override readonly name = 'PortInUseError'
  override readonly exitCode = 4
}

/** The history of metrics cannot be kept beside a backup. An upgrade that returns restores without it then, and only then. */
export class HistoryDiffersError extends StartError {
  override readonly name = 'HistoryDiffersError'
  override readonly exitCode = 11
}
