import { readManagedFile } from '../machine/managed-file.js'
import type { Machine } from '../machine/machine.js'
import type { DeclaredFile } from './servers/declared-file.js'
import type { ShareServer } from './servers/share-server.js'

/** A file of a server, as it is and as a deployment makes it. */
export interface ServerChange {
  readonly server: ShareServer
  readonly declared: DeclaredFile
  /** The file as it is now. */
  readonly present: string | undefined
  /** The text to write: as it is now where only the number of the generation would change. */
  readonly text: string
  readonly changes: boolean
}

export async function readServerChange(
  server: ShareServer,
  declared: DeclaredFile,
  machine: Machine,
): Promise<ServerChange> {
  const present = (await readManagedFile(machine.path(server.file)))?.toString()
  const changes = present === undefined || withoutGeneration(present) !== withoutGeneration(declared.content)
  return { server, declared, present, text: changes ? declared.content : present, changes }
}

/** Returns whether there is nothing to serve and no file of ours, so that the server need not be installed. */
export function isIdle({ declared, present }: ServerChange): boolean {
  return declared.body === '' && present === undefined
}

function withoutGeneration(content: string): string {
  return content.replace(/^# generation \d+, /m, '# generation , ')
}
