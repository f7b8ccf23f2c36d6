/** The reason why the control plane cannot start, with what to do. The command ends with exit code 1. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
