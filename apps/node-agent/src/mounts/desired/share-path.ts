import { join } from 'node:path'

/** Where the container of a share lies: a folder named by the share's id, and by nothing that a client can choose. */
export function sharePath(directory: string, { id }: { readonly id: number }): string {
  return join(directory, String(id))
}
