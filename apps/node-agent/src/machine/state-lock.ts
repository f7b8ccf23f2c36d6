import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { realpathSync, statSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { Server } from 'node:net'

/** Another agent works on the same state directory. */
export class StateLockedError extends Error {
  override readonly name = 'StateLockedError'
}

/**
 * Keeps a second agent away from a state directory, where both would number messages and present the same identity. A lock
 * is a socket in Linux's abstract namespace: the kernel lets go of it when the process ends, however it ends. There are two:
 *
 * - one of the directory itself, which also meets an agent that has it at another path, or in another container;
 * - one of its path, which also meets an agent whose directory was replaced while it runs. Containers in one network share
 *   the sockets, and may have different directories at one path: so its name has the mount namespace. The unit of the agent
 *   and commands of root have that of the machine; what has another one still meets the first lock.
 */
export async function lockStateDirectory(dataDir: string): Promise<() => void> {
  const path = realpathSync(dataDir)
  const servers: Server[] = []
  const unlock = () => {
    for (const server of servers) server.close()
  }
  try {
    if (await isUsed(nameOf(path))) throw lockedError(dataDir)
    for (const locked of [fileId(path), `${fileId('/proc/self/ns/mnt')} ${path}`])
      servers.push(await listen(nameOf(locked), dataDir))
  } catch (error) {
    unlock()
    throw error
  }
  return unlock
}

function nameOf(locked: string): string {
  return `\0roost-agent-${createHash('sha256').update(locked).digest('hex')}`
}

/** Some filesystems have inodes above 2^53. */
function fileId(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true })
  return `${dev} ${ino}`
}

/** Returns whether a process listens: agents of 0.1 lock the path alone. */
async function isUsed(name: string): Promise<boolean> {
  const socket = connect(name)
  try {
    await once(socket, 'connect')
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error
    return false
  } finally {
    socket.destroy()
  }
}

async function listen(name: string, dataDir: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy())
  try {
    server.listen(name)
    await once(server, 'listening')
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? lockedError(dataDir) : error
  }
  return server.unref()
}

function lockedError(dataDir: string): StateLockedError {
  return new StateLockedError(
    `Another agent already uses the state directory ${dataDir}. Stop it, or set another one with --data-dir.`,
  )
}
