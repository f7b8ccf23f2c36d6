import { randomBytes } from 'node:crypto'
import { closeCodes } from '@roost/api-types/agent'
import type { ServerMessage } from '@roost/api-types/agent'
import type { RawData, WebSocket } from 'ws'
import type { Clock } from '@roost/runtime'
import type { StreamLimits } from './limits/stream-limits.js'
import { closeSocket } from './session.js'

/** Maximum size of a hello. */
const maxHelloBytes = 8192

export interface Greeted {
  readonly text: string
  readonly nonce: string
  /** Our monotonic clock when the hello was received. */
  readonly atMs: number
}

/**
 * Sends the challenge and waits for one message. The socket is paused when it comes, so that nothing is read before
 * somebody listens. Undefined: the connection is over.
 */
export function shakeHands(
  socket: WebSocket,
  clock: Clock,
  limits: Pick<StreamLimits, 'helloTimeoutMs' | 'protocol'>,
): Promise<Greeted | undefined> {
  const nonce = randomBytes(32).toString('base64')
  const challenge: ServerMessage = {
    type: 'challenge',
    nonce,
    protocol: limits.protocol.current,
    oldest_protocol: limits.protocol.oldest,
    clock: clock.now() / 1000,
  }
  return new Promise((resolve) => {
    const settle = (greeted: Greeted | undefined) => {
      clearTimeout(timer)
      socket.off('message', onMessage)
      socket.off('close', onClose)
      resolve(greeted)
    }
    const refuse = (code: number, message: string) => {
      settle(undefined)
      closeSocket(socket, code, message)
    }
    const onMessage = (data: RawData, isBinary: boolean) => {
      const bytes = data as Buffer
      if (isBinary || bytes.length > maxHelloBytes)
        return refuse(closeCodes.unauthenticated, 'The first message must be hello.')
      socket.pause()
      settle({ text: bytes.toString('utf8'), nonce, atMs: clock.monotonic() })
    }
    const onClose = () => settle(undefined)
    const timer = setTimeout(
      () => refuse(closeCodes.helloTimeout, 'No hello within the timeout.'),
      limits.helloTimeoutMs,
    )
    socket.on('message', onMessage)
    socket.on('close', onClose)
    socket.send(JSON.stringify(challenge))
  })
}
