import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { connectionName } from './connection-name.js'

/** Number of checks of progress within the timeout. */
const checksPerTimeout = 6

/** Closes connections whose client has read nothing of an answer for that long, to free its memory. */
export function cutStalledReaders(app: FastifyInstance, timeoutMs: number): void {
  const wires = new Map<string, Socket>()
  app.server.on('connection', (wire: Socket) => {
    const name = connectionName(wire)
    wires.set(name, wire)
    wire.once('close', () => {
      if (wires.get(name) === wire) wires.delete(name)
    })
  })
  app.addHook('onRequest', async ({ socket }, { raw }) => {
    const wire = wires.get(connectionName(socket)) ?? socket
    watch(raw, wire, timeoutMs)
  })
}

/** `wire` is the socket below TLS, where there is any. */
function watch(raw: ServerResponse, wire: Socket, timeoutMs: number): void {
  const checkMs = timeoutMs / checksPerTimeout
  let lastCheck = -Infinity
  let lastSent = -1
  let stillSince = Infinity
  // Node calls this after a time without a completely written slice, without TLS not even a part of one.
  const check = (socket: Socket) => {
    const now = performance.now()
    const sent = wire.bytesWritten - wire.writableLength
    // After progress, the checks are further apart.
    if (sent !== lastSent || now - lastCheck > 1.5 * checkMs) stillSince = now - checkMs
    lastCheck = now
    lastSent = sent
    const isLate = now - stillSince >= timeoutMs - checkMs / 2
    // A client that was sent nothing is not late.
    if (socket.writableLength === 0) stillSince = now
    if (socket.writableLength > 0 && isLate) socket.destroy()
    else socket.setTimeout(checkMs)
  }
  raw.setTimeout(checkMs).on('timeout', check)
}
