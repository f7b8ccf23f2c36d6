/**
 * Reads what the agent's user may read: undefined where a file is the superuser's, or where its device answers with an error.
 * One such file must not make the inventory fail.
 */
export function unlessDenied<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
