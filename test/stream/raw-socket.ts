import { randomBytes, sign } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { helloText, protocolVersion } from '@roost/api-types/agent'
import type { EnrolledNode } from '../support/agents/nodes.js'

export interface FrameShape {
  readonly opcode: number
  readonly payload?: Uint8Array
  readonly isFinal?: boolean
  /** RSV1 to RSV3 as a number of three bits. */
  readonly reserved?: number
  readonly isMasked?: boolean
  /** What the header says, where it is not the truth. */
  readonly claimedLength?: number
}

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

/** One WebSocket frame, as wrong as asked. */
export function frameOf(shape: FrameShape): Buffer {
  const { opcode, payload = new Uint8Array(), isFinal = true, reserved = 0, isMasked = true } = shape
  const first = (isFinal ? 0x80 : 0) | (reserved << 4) | opcode
  const header = Buffer.concat([Buffer.from([first]), lengthOf(shape.claimedLength ?? payload.length, isMasked)])
  if (!isMasked) return Buffer.concat([header, payload])
  const key = randomBytes(4)
  return Buffer.concat([header, key, payload.map((byte, index) => byte ^ key.readUInt8(index % 4))])
}

function lengthOf(length: number, isMasked: boolean): Buffer {
  const mask = isMasked ? 0x80 : 0
  if (length < 126) return Buffer.from([mask | length])
  if (length < 65_536) return Buffer.from([mask | 126, length >> 8, length & 255])
  return Buffer.concat([Buffer.from([mask | 127]), uint64(length)])
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

/** A connection on which a test writes bytes, not messages. */
export class RawSocket {
  /** Code of the close frame; 1006 when the connection ended without one. */
  closeCode: number | undefined
  readonly texts: string[] = []
  readonly #socket: Socket
  #unread = Buffer.alloc(0)

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('error', () => {})
    socket.on('data', (bytes) => this.#read(bytes))
    socket.on('close', () => (this.closeCode ??= 1006))
  }

  /** Connects and upgrades. */
  static async open(url: string): Promise<RawSocket> {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    const key = randomBytes(16).toString('base64')
    socket.write(
      `GET /agent/v1/stream HTTP/1.1\r\nHost: ${hostname}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    )
    const raw = new RawSocket(socket)
    await raw.until(() => raw.texts.length > 0)
    return raw
  }

  /** Connects, upgrades and greets as that node, up to the settings. */
  static async openAs(url: string, node: EnrolledNode): Promise<RawSocket> {
    const raw = await RawSocket.open(url)
    const { nonce } = JSON.parse(raw.texts[0] ?? '{}') as { nonce: string }
    const said = {
      node_uuid: node.uuid,
      protocol: protocolVersion,
      agent_version: '0',
      capabilities: [],
      machine_id: `machine-${node.uuid}`,
      boot_id: `boot-${node.uuid}`,
      hostname: 'raw',
      clock: Date.now() / 1000,
    }
    const signature = sign(null, Buffer.from(helloText(nonce, said)), node.privateKey).toString('base64')
    raw.write(
      frameOf({ opcode: opcodes.text, payload: Buffer.from(JSON.stringify({ type: 'hello', ...said, signature })) }),
    )
    await raw.until(() => raw.texts.length >= 3)
    return raw
  }

  write(bytes: Uint8Array): void {
    if (this.#socket.writable) this.#socket.write(bytes)
  }

  destroy(): void {
    this.#socket.destroy()
  }

  /** Resolves when the condition condition, or rejects after a minute. */
  async until(condition: () => boolean): Promise<void> {
    for (const end = performance.now() + 60_000; !condition();) {
      if (performance.now() > end) throw new Error(`Timed out waiting for: ${condition.toString()}`)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }

  /** Answers the code with which the server ends it. */
  async ended(): Promise<number | undefined> {
    await this.until(() => this.closeCode !== undefined)
    return this.closeCode
  }

  #read(bytes: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, bytes])
    const head = this.#unread.indexOf('\r\n\r\n')
    if (this.#unread.subarray(0, 5).toString() === 'HTTP/' && head >= 0) this.#unread = this.#unread.subarray(head + 4)
    for (let frame = this.#nextFrame(); frame !== undefined; frame = this.#nextFrame())
      this.#hear(frame.opcode, frame.payload)
  }

  #hear(opcode: number, payload: Buffer): void {
    if (opcode === opcodes.text) this.texts.push(payload.toString('utf8'))
    if (opcode === opcodes.close) this.closeCode = payload.length >= 2 ? payload.readUInt16BE(0) : 1005
  }

  /** The server sends whole frames without a mask, none longer than 64 KiB here. */
  #nextFrame(): { readonly opcode: number; readonly payload: Buffer } | undefined {
    const bytes = this.#unread
    if (bytes.length < 2 || bytes.subarray(0, 5).toString() === 'HTTP/') return undefined
    const short = bytes.readUInt8(1) & 127
    const start = short === 126 ? 4 : 2
    if (bytes.length < start) return undefined
    const end = start + (short === 126 ? bytes.readUInt16BE(2) : short)
    if (bytes.length < end) return undefined
    this.#unread = bytes.subarray(end)
    return { opcode: bytes.readUInt8(0) & 15, payload: bytes.subarray(start, end) }
  }
}
