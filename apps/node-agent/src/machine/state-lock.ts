import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { createServer } from 'node:net'

/** Another agent works on the same state directory. */
export class StateLockedError extends Error {
  override readonly name = 'StateLockedError'
}

/**
 * Keeps a second agent away from a state directory, where both would number messages and present the same identity. The
 * lock is a socket in Linux's abstract namespace: the kernel lets go of it when the process ends, however it ends. It is
 * named after the directory itself, not its path: containers in one network share the namespace, and not the directory.
 */
export async function lockStateDirectory(dataDir: string): Promise<() => void> {
  const { dev, ino } = statSync(dataDir)
  const name = createHash('sha256').update(`${dev} ${ino}`).digest('hex')
  const server = createServer((socket) => socket.destroy())
  try {
    server.listen(`\0roost-agent-${name}`)
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new StateLockedError(
      `Another agent already uses the state directory ${dataDir}. Stop it, or set another one with --data-dir.`,
    )
  }
  server.unref()
  return () => void server.close()
}
