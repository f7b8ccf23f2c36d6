/**
 * What the machine tells to the agent's user: undefined where a file is the superuser's, or where the device behind it answers
 * with an error. One such file must not cost the whole inventory.
 */
export function unlessDenied<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
