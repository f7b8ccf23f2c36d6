import { EventEmitter, once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** `up` is from the client to the target, `down` back. */
export type Direction = 'up' | 'down'

/** What happens to bytes on their way, on connections that are open already too. */
export type Fault =
  | { readonly kind: 'pass' }
  /** Each chunk waits. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Nothing travels, no FIN and no RST either; what was held goes on its way when another fault is set. */
  | { readonly kind: 'black-hole'; readonly direction: Direction | 'both' }
  /** One byte at a time. */
  | { readonly kind: 'drip'; readonly bytesPerSecond: number }
  /** Each connection is reset once so many bytes have travelled on it from now on, both ways together. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** New connections are reset at once; open ones go on. */
  | { readonly kind: 'refuse' }

interface Link {
  readonly client: Socket
  readonly target: Socket
  /** The target's socket knows no RST. */
  readonly isUnix: boolean
  /** Bytes that have travelled since the fault in force was set. */
  bytes: number
}

/** A port, or a Unix socket. */
type Target = { readonly host: string; readonly port: number } | { readonly path: string }

export async function startTcpProxy(
  target: { readonly host?: string; readonly port: number } | { readonly path: string },
): Promise<TcpProxy> {
  const server = createServer({ allowHalfOpen: true, noDelay: true })
  const proxy = new TcpProxy(server, 'path' in target ? target : { host: '127.0.0.1', ...target })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return proxy
}

/** A wire that a test can damage. Close it at the end: `await proxy.close()`. */
export class TcpProxy {
  readonly #server: Server
  readonly #target: Target
  readonly #links = new Set<Link>()
  #fault: Fault = { kind: 'pass' }
  readonly #changes = new EventEmitter().setMaxListeners(0)
  #accepted = 0

  constructor(server: Server, target: Target) {
    this.#server = server
    this.#target = target
    server.on('connection', (client) => this.#accept(client))
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Connections that were ever made. */
  get accepted(): number {
    return this.#accepted
  }

  /** Connections that are open now. */
  get open(): number {
    return this.#links.size
  }

  set(fault: Fault): void {
    this.#fault = fault
    for (const link of this.#links) link.bytes = 0
    this.#changes.emit('fault')
  }

  /** RST to both ends of every open connection. */
  reset(): void {
    for (const link of this.#links) cut(link)
  }

  /** FIN to one end of every open connection; the other direction goes on. `up` tells the target. */
  halfClose(direction: Direction): void {
    for (const link of this.#links) (direction === 'up' ? link.target : link.client).end()
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.set({ kind: 'pass' })
    this.reset()
    await closed
  }

  #accept(client: Socket): void {
    client.on('error', () => {})
    this.#accepted += 1
    if (this.#fault.kind === 'refuse') {
      client.resetAndDestroy()
      return
    }
    const target = connect({ ...this.#target, allowHalfOpen: true, noDelay: true })
    const link: Link = { client, target, isUnix: 'path' in this.#target, bytes: 0 }
    target.on('error', () => void this.#afterBlackHole('down', () => cut(link)))
    this.#links.add(link)
    void this.#pump(link, client, target, 'up')
    void this.#pump(link, target, client, 'down')
    for (const socket of [client, target])
      socket.on('close', () => {
        if (client.destroyed && target.destroyed) this.#links.delete(link)
      })
  }

  async #pump(link: Link, from: Socket, to: Socket, direction: Direction): Promise<void> {
    try {
      for await (const chunk of from.iterator({ destroyOnReturn: false })) await this.#carry(link, to, chunk, direction)
      await this.#afterBlackHole(direction, () => to.end())
    } catch {
      await this.#afterBlackHole(direction, () => cut(link))
    }
  }

  async #carry(link: Link, to: Socket, chunk: Buffer, direction: Direction): Promise<void> {
    let rest = chunk
    while (rest.length > 0) {
      await this.#afterBlackHole(direction, () => {})
      const fault = this.#fault
      if (fault.kind === 'delay') await sleep(fault.ms)
      if (fault.kind === 'drip') await sleep(1000 / fault.bytesPerSecond)
      const size = fault.kind === 'drip' ? 1 : fault.kind === 'cut' ? fault.afterBytes - link.bytes : rest.length
      const part = rest.subarray(0, Math.max(0, size))
      rest = rest.subarray(part.length)
      link.bytes += part.length
      if (part.length > 0 && !to.write(part)) await Promise.race([once(to, 'drain'), once(to, 'close')])
      if (fault.kind === 'cut' && link.bytes >= fault.afterBytes) return cut(link)
    }
  }

  /** Waits for the end of a black hole in this direction, then acts. */
  async #afterBlackHole(direction: Direction, act: () => void): Promise<void> {
    while (this.#fault.kind === 'black-hole' && [direction, 'both'].includes(this.#fault.direction))
      await once(this.#changes, 'fault')
    act()
  }
}

function cut({ client, target, isUnix }: Link): void {
  if (!client.destroyed) client.resetAndDestroy()
  if (!target.destroyed) void (isUnix ? target.destroy() : target.resetAndDestroy())
}
