import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { connectionName } from './connection-name.js'

const maxUnauthenticated = 1000

/**
 * Limits connections without valid credentials: if there are too many, the oldest is closed. Returns a function
 * that takes a connection out of the count. An upgraded connection is limited by its new owner.
 */
export function limitUnauthenticated(
  app: FastifyInstance,
): (connection: Pick<Socket, 'remoteAddress' | 'remotePort'>) => void {
  const { server } = app
  const unauthenticated = new Map<string, Socket>()
  server.on('connection', (socket: Socket) => {
    const name = connectionName(socket)
    unauthenticated.set(name, socket)
    socket.once('close', () => {
      if (unauthenticated.get(name) === socket) unauthenticated.delete(name)
    })
    const [oldest] = unauthenticated
    if (unauthenticated.size <= maxUnauthenticated || oldest === undefined) return
    unauthenticated.delete(oldest[0])
    oldest[1].destroy()
  })
  server.on('upgrade', ({ socket }: IncomingMessage) => unauthenticated.delete(connectionName(socket)))
  // The server would wait for connections without a request.
  app.addHook('preClose', async () => {
    for (const socket of unauthenticated.values()) socket.destroy()
  })
  return (connection) => void unauthenticated.delete(connectionName(connection))
}
