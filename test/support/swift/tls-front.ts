import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import type { Certificates } from '../keystone/certificates.js'

export interface TlsFront {
  readonly port: number
  close(): void
}

/** Ends TLS on a port of 127.0.0.1, as a load balancer does, before an address such as `http://127.0.0.1:41234`, which may be set later. */
export async function startTlsFront(target: () => string, certificates: Certificates): Promise<TlsFront> {
  const [cert, key] = await Promise.all([readFile(certificates.certificate), readFile(certificates.key)])
  const server = createServer({ cert, key }, (client) => {
    const { hostname, port } = new URL(target())
    const inner = connect(Number(port), hostname)
    for (const socket of [client, inner]) socket.on('error', () => {})
    client.pipe(inner).pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() }
}
