import type { IncomingMessage, Server as HttpServer } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Duplex } from 'node:stream'
import { closeCodes } from '@roost/api-types/agent'
import { WebSocketServer } from 'ws'
import type { ServerOptions, WebSocket } from 'ws'
import type { StreamOptions } from './options.js'
import { closeSocket } from './session.js'

export const streamPath = '/agent/v1/stream'

const socketOptions: ServerOptions & { readonly closeTimeout: number; readonly maxPendingAutoPongs: number } = {
  noServer: true,
  // The largest message that an agent may send.
  maxPayload: 1 << 20,
  perMessageDeflate: false,
  clientTracking: false,
  // A message of 1 MiB comes in under a thousand segments; a byte at a time is no message.
  maxBufferedChunks: 4096,
  maxFragments: 1024,
  closeTimeout: 5_000,
  // The session counts pings, and says why it closes; the library would only cut.
  maxPendingAutoPongs: 1_000,
}

export interface ListenerDeps {
  /** The peer's address, as the proxy in front tells it where there is one. */
  readonly addressOf: (request: IncomingMessage) => string
  /** Handles a new connection; resolves when it is admitted or closed. Never rejects. */
  readonly accept: (socket: WebSocket, address: string) => Promise<void>
  /** Milliseconds after which a connection that is turned away may come again. */
  readonly retryAfterMs: () => number
}

export interface Listener {
  attach(server: HttpServer | HttpsServer): void
  /** Connections that have not been admitted yet. */
  readonly greeting: number
  /** From now on every new connection is refused. */
  close(): void
}

/** Upgrades requests for the stream to WebSockets, and limits how many connections may be in the handshake. */
export function createListener(
  { addressOf, accept, retryAfterMs }: ListenerDeps,
  limits: Pick<StreamOptions, 'maxGreeting' | 'maxGreetingPerAddress'>,
): Listener {
  const sockets = new WebSocketServer(socketOptions)
  const byAddress = new Map<string, number>()
  let greeting = 0
  let closed = false

  function welcome(socket: WebSocket, address: string): void {
    // One malformed frame ends the process when nobody listens to this.
    socket.on('error', () => {})
    if (closed) return closeSocket(socket, closeCodes.serviceRestart, 'The control plane is stopping.', retryAfterMs())
    const here = byAddress.get(address) ?? 0
    if (greeting >= limits.maxGreeting || here >= limits.maxGreetingPerAddress)
      return closeSocket(socket, closeCodes.tryAgainLater, 'Too many agents at once.', retryAfterMs())
    greeting += 1
    byAddress.set(address, here + 1)
    void accept(socket, address).finally(() => {
      greeting -= 1
      const left = (byAddress.get(address) ?? 1) - 1
      if (left > 0) byAddress.set(address, left)
      else byAddress.delete(address)
    })
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => {})
    const path = request.url?.split('?')[0]?.replace(/\/$/, '')
    if (path !== streamPath || request.headers.upgrade?.toLowerCase() !== 'websocket') return turnAway(socket)
    sockets.handleUpgrade(request, socket, head, (webSocket) => welcome(webSocket, addressOf(request)))
  }

  return {
    attach: (server) => void server.on('upgrade', upgrade),
    get greeting() {
      return greeting
    },
    close() {
      closed = true
    },
  }
}

/** Only the path of the stream can be upgraded. */
function turnAway(socket: Duplex): void {
  const body = JSON.stringify({ error: 'Only agents upgrade a connection, and only on the path of their stream.' })
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
}
