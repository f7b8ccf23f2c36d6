import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { connectionName } from './connection-name.js'

/** How often progress is checked within the time-out. */
const looks = 6

/** Closes connections whose client has read nothing of an answer for that long, to free its memory. */
export function cutStalledReaders(app: FastifyInstance, patienceMs: number): void {
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
    watch(raw, wire, patienceMs)
  })
}

/** `wire` is the socket below TLS, where there is any. */
function watch(raw: ServerResponse, wire: Socket, patienceMs: number): void {
  const lookMs = patienceMs / looks
  let lastLook = -Infinity
  let lastTaken = -1
  let stillSince = Infinity
  // Node comes here after a time in which no slice was written to its end, and without TLS not even a part of one.
  const look = (socket: Socket) => {
    const now = performance.now()
    const taken = wire.bytesWritten - wire.writableLength
    // Where a part went through, the looks are further apart.
    if (taken !== lastTaken || now - lastLook > 1.5 * lookMs) stillSince = now - lookMs
    lastLook = now
    lastTaken = taken
    const isLate = now - stillSince >= patienceMs - lookMs / 2
    // Who was sent nothing yet is not late.
    if (socket.writableLength === 0) stillSince = now
    if (socket.writableLength > 0 && isLate) socket.destroy()
    else socket.setTimeout(lookMs)
  }
  raw.setTimeout(lookMs).on('timeout', look)
}
