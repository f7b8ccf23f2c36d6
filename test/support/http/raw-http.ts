import { once } from 'node:events'
import { connect } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import type { Reachable } from './control-plane.js'

/** A connection on which a test may send what no HTTP client would. */
export async function rawConnection({ url, ca }: Pick<Reachable, 'url' | 'ca'>): Promise<TLSSocket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), ca })
  await once(socket, 'secureConnect')
  return socket
}

/** Everything that the server sends until it closes the connection. */
export async function readAll(socket: TLSSocket): Promise<string> {
  let text = ''
  socket.on('data', (chunk) => (text += String(chunk)))
  socket.on('error', () => {})
  await once(socket, 'close')
  return text
}

/** Sends the same request many times at once on one connection; answers all that came back. */
export async function pipelined(
  server: Pick<Reachable, 'url' | 'ca'>,
  times: number,
  lines: readonly string[],
): Promise<string> {
  const socket = await rawConnection(server)
  const answers = readAll(socket)
  const request = [...lines, 'Host: localhost', '', ''].join('\r\n')
  const last = [...lines, 'Host: localhost', 'Connection: close', '', ''].join('\r\n')
  socket.write(request.repeat(times - 1) + last)
  return answers
}
