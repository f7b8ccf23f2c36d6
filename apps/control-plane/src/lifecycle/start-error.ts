/** Why the control plane cannot start, as a sentence that says what to do. The command ends with exit code 1. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
