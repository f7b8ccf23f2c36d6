import type { Socket } from 'node:net'

/** Below TLS there is another socket than the one of a request; the peer's address names both. */
export function connectionName({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`
}
