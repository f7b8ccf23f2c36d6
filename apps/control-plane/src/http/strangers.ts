import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

const maxStrangers = 1000

/**
 * Bounds the connections on which nobody has shown good credentials yet: of too many, the oldest goes. Answers a function
 * that takes a connection out of the count. A connection that changes its protocol is its new owner's to bound.
 */
export function boundStrangers(
  app: FastifyInstance,
): (connection: Pick<Socket, 'remoteAddress' | 'remotePort'>) => void {
  const { server } = app
  const strangers = new Map<string, Socket>()
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket)
    strangers.set(name, socket)
    socket.once('close', () => {
      if (strangers.get(name) === socket) strangers.delete(name)
    })
    const [oldest] = strangers
    if (strangers.size <= maxStrangers || oldest === undefined) return
    strangers.delete(oldest[0])
    oldest[1].destroy()
  })
  server.on('upgrade', ({ socket }: IncomingMessage) => strangers.delete(nameOf(socket)))
  // The server would wait for those who have not even said what they want.
  app.addHook('preClose', async () => {
    for (const socket of strangers.values()) socket.destroy()
  })
  return (connection) => void strangers.delete(nameOf(connection))
}

// Below TLS there is another socket than the one of a request; the peer's address names both.
function nameOf({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`
}
