import { join } from 'node:path'

/** Returns the folder of a share: it is named by the share's id, so that no client can choose it. */
export function sharePath(directory: string, { id }: { readonly id: number }): string {
  return join(directory, String(id))
}
