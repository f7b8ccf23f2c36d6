import type { Server } from '../server.js'

/** The flags with which this machine's own agent enrols, under a token for one node. */
export async function enrolmentOf(server: Server): Promise<readonly string[]> {
  return ['--server', server.localUrl]
}
