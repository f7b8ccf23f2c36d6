import { readManagedFile } from '../machine/managed-file.js'
import type { Machine } from '../machine/machine.js'
import type { DeclaredFile } from './servers/declared-file.js'
import type { ShareServer } from './servers/share-server.js'

/** What a deployment means for one server. */
export interface Turn {
  readonly server: ShareServer
  readonly declared: DeclaredFile
  /** The file as it is now. */
  readonly present: string | undefined
  /** What is to stand there: as it is now where only the number of the generation would change. */
  readonly text: string
  readonly changes: boolean
}

export async function turnOf(server: ShareServer, declared: DeclaredFile, machine: Machine): Promise<Turn> {
  const present = (await readManagedFile(machine.path(server.file)))?.toString()
  const changes = present === undefined || withoutGeneration(present) !== withoutGeneration(declared.content)
  return { server, declared, present, text: changes ? declared.content : present, changes }
}

/** Nothing to serve, and no file of ours: the server need not even be there. */
export function isIdle({ declared, present }: Turn): boolean {
  return declared.body === '' && present === undefined
}

function withoutGeneration(content: string): string {
  return content.replace(/^# generation \d+, /m, '# generation , ')
}
