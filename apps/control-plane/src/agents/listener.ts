import type { IncomingMessage, Server as HttpServer } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Duplex } from 'node:stream'
import { closeCodes, maxAgentMessageBytes } from '@roost/api-types/agent'
import { WebSocketServer } from 'ws'
import type { ServerOptions, WebSocket } from 'ws'
import type { StreamLimits } from './limits/stream-limits.js'
import { closeSocket } from './session.js'

export const streamPath = '/agent/v1/stream'

const socketOptions: ServerOptions & { readonly closeTimeout: number; readonly maxPendingAutoPongs: number } = {
  noServer: true,
  maxPayload: maxAgentMessageBytes,
  perMessageDeflate: false,
  clientTracking: false,
  // A message of 1 MiB has fewer than a thousand segments; single bytes are an attack.
  maxBufferedChunks: 4096,
  maxFragments: 1024,
  closeTimeout: 5_000,
  // The session limits pings and sends a reason; the library would only disconnect.
  maxPendingAutoPongs: 1_000,
}

export interface ListenerOptions {
  /** Returns the address of the peer, or that which a proxy in front reports. */
  readonly addressOf: (request: IncomingMessage) => string
  /** Handles a new connection; resolves when it is admitted or closed. Never rejects. */
  readonly accept: (socket: WebSocket, address: string) => Promise<void>
  /** Returns the milliseconds after which a refused agent may reconnect. */
  readonly retryAfterMs: () => number
}

export interface Listener {
  attach(server: HttpServer | HttpsServer): void
  /** The number of connections that are not admitted yet. */
  readonly handshakes: number
  /** Refuses all new connections. */
  close(): void
}

/** Upgrades requests for the stream to WebSockets, and limits the number of handshakes. */
export function createListener(
  { addressOf, accept, retryAfterMs }: ListenerOptions,
  limits: Pick<StreamLimits, 'maxHandshakes' | 'maxHandshakesPerAddress'>,
): Listener {
  const sockets = new WebSocketServer(socketOptions)
  const byAddress = new Map<string, number>()
  let handshakes = 0
  let closed = false

  function welcome(socket: WebSocket, address: string): void {
    // Without a listener, one malformed frame ends the process.
    socket.on('error', () => {})
    if (closed) return closeSocket(socket, closeCodes.serviceRestart, 'The control plane is stopping.', retryAfterMs())
    const fromAddress = byAddress.get(address) ?? 0
    if (handshakes >= limits.maxHandshakes || fromAddress >= limits.maxHandshakesPerAddress)
      return closeSocket(socket, closeCodes.tryAgainLater, 'Too many agents at once.', retryAfterMs())
    handshakes += 1
    byAddress.set(address, fromAddress + 1)
    void accept(socket, address).finally(() => {
      handshakes -= 1
      const left = (byAddress.get(address) ?? 1) - 1
      if (left > 0) byAddress.set(address, left)
      else byAddress.delete(address)
    })
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => {})
    const path = request.url?.split('?')[0]?.replace(/\/$/, '')
    if (path !== streamPath || request.headers.upgrade?.toLowerCase() !== 'websocket') return refuse(socket)
    sockets.handleUpgrade(request, socket, head, (webSocket) => welcome(webSocket, addressOf(request)))
  }

  return {
    attach: (server) => void server.on('upgrade', upgrade),
    get handshakes() {
      return handshakes
    },
    close() {
      closed = true
    },
  }
}

/** Refuses an upgrade of another path than that of the stream. */
function refuse(socket: Duplex): void {
  const body = JSON.stringify({ error: `Only ${streamPath} accepts WebSocket upgrades.` })
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
}
