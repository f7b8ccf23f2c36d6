import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'

export interface DatagramListenerOptions {
  /** Name of the data, for the message of a fault. */
  readonly what: string
  readonly address: string
  /** 0 takes a free one. */
  readonly port: number
  readonly onDatagram: (bytes: Uint8Array) => void
}

/** The kernel keeps so many bytes while the agent is busy; fewer where `net.core.rmem_max` is lower. */
const receiveBufferBytes = 4 << 20

/** A UDP socket that can be opened again after a fault. */
export class DatagramListener {
  readonly #options: DatagramListenerOptions
  #socket: Socket | undefined
  #closed = false

  constructor(options: DatagramListenerOptions) {
    this.#options = options
  }

  /** Returns the port; undefined while it does not listen. */
  get port(): number | undefined {
    return this.#socket?.address().port
  }

  /** Listens unless it does already. Rejects when the address cannot be had. */
  async open(): Promise<void> {
    if (this.#socket !== undefined || this.#closed) return
    const { what, address, port, onDatagram } = this.#options
    const socket = createSocket({ type: isIPv6(address) ? 'udp6' : 'udp4', recvBufferSize: receiveBufferBytes })
    socket.on('message', onDatagram)
    try {
      socket.bind(port, address)
      await once(socket, 'listening')
    } catch (error) {
      socket.close()
      const { code } = error as NodeJS.ErrnoException
      const why = code === 'EADDRINUSE' ? 'another program uses this port. Stop it, or set another port' : `${code}`
      throw new Error(`${what} cannot be received at ${address}:${port}: ${why}.`, { cause: error })
    }
    socket.on('error', () => this.#drop(socket))
    if (this.#closed) socket.close()
    else this.#socket = socket
  }

  close(): void {
    this.#closed = true
    if (this.#socket !== undefined) this.#drop(this.#socket)
  }

  #drop(socket: Socket): void {
    if (this.#socket !== socket) return
    this.#socket = undefined
    socket.close()
  }
}
