import { createPublicKey, randomBytes, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createPlainServer, type Server } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import {
  AgentMessage,
  type AnswerMessage,
  type CatalogueMessage,
  closeCodes,
  type CloseReason,
  decodeHistoryFrame,
  decodeMetricFrame,
  type DeviceUsageMessage,
  Hello,
  helloText,
  historyFrameKind,
  type InventoryMessage,
  type MetricFrame,
  protocolVersion,
  type ServerMessage,
  type Settings,
} from '@roost/api-types/agent'
import { decodeChunk, type DecodedChunk, readHead, splitChunk } from '@roost/history'
import { type WebSocket, WebSocketServer } from 'ws'

export interface Script {
  /** The raw public key, in base64, whose signature is accepted. */
  publicKey: string
  /** Seconds since 1970, for the challenge. */
  clock: () => number
  settings: Partial<Settings>
  /** The close code for the next hellos, instead of a welcome. */
  refuseWith: { readonly code: number; readonly reason: CloseReason } | null
  parked: string | null
  /** How a message is answered that expects an acknowledgement. */
  answer: 'ack' | 'refuse' | 'silence'
  answersPings: boolean
  /** Texts for the next connections, instead of a challenge: a hello after one of them is refused. */
  readonly challenges: string[]
}

/** A chunk of history with the names of its columns. */
export interface ReceivedChunk extends DecodedChunk {
  readonly sequence: number
  readonly names: readonly string[]
}

const defaultSettings: Settings = {
  type: 'settings',
  report_interval_ms: 10_000,
  heartbeat_interval_ms: 15_000,
  inventory_interval_ms: 3_600_000,
  reconnect_spread_ms: 30_000,
  ca: [],
}

/**
 * The control plane's side of the stream, scripted by a test: for what a real one does only after faults.
 * It checks every message by the protocol's own schemas, and every signature.
 */
export class ScriptedControlPlane {
  readonly script: Script
  /** Everything received, in order, over all connections. */
  readonly hellos: Hello[] = []
  readonly inventories: InventoryMessage[] = []
  readonly usages: DeviceUsageMessage[] = []
  readonly frames: MetricFrame[] = []
  readonly chunks: ReceivedChunk[] = []
  readonly answers: AnswerMessage[] = []
  readonly acknowledged: number[] = []
  /** The agent's clock in each of its pings and pongs. */
  readonly clocks: (number | undefined)[] = []
  /** Violations of the protocol by the agent. */
  readonly faults: string[] = []
  dialed = 0
  /** The names of the columns that this session may use, by catalogue. */
  readonly #columns = new Map<number, readonly string[]>()
  #catalogue: CatalogueMessage | null = null
  readonly #http: Server
  readonly #sockets: WebSocketServer

  private constructor(http: Server, sockets: WebSocketServer, script: Script) {
    this.#http = http
    this.#sockets = sockets
    this.script = script
    sockets.on('connection', (socket) => this.#accept(socket))
  }

  static async start(
    script: Pick<Script, 'clock'> & Partial<Script>,
    where: { readonly port?: number; readonly tls?: { readonly cert: string; readonly key: string } } = {},
  ): Promise<ScriptedControlPlane> {
    const http = where.tls === undefined ? createPlainServer() : createServer(where.tls)
    const sockets = new WebSocketServer({ server: http, path: '/agent/v1/stream', perMessageDeflate: false })
    http.listen(where.port ?? 0, '127.0.0.1')
    await once(http, 'listening')
    const defaults = {
      publicKey: '',
      settings: {},
      refuseWith: null,
      parked: null,
      answer: 'ack',
      answersPings: true,
      challenges: [],
    } satisfies Partial<Script>
    return new ScriptedControlPlane(http, sockets, { ...defaults, ...script })
  }

  get port(): number {
    return (this.#http.address() as AddressInfo).port
  }

  get connected(): number {
    return this.#sockets.clients.size
  }

  /** The last catalogue. */
  get catalogue(): CatalogueMessage | null {
    return this.#catalogue
  }

  closeAll(code: number, reason?: CloseReason): void {
    for (const socket of this.#sockets.clients) socket.close(code, reason === undefined ? '' : JSON.stringify(reason))
  }

  /** Ends every connection without a close frame. */
  drop(): void {
    for (const socket of this.#sockets.clients) socket.terminate()
  }

  sendAll(message: ServerMessage | Readonly<Record<string, unknown>>): void {
    for (const socket of this.#sockets.clients) send(socket, message)
  }

  /** Sends text unchanged, which may be an invalid message. */
  sendText(text: string): void {
    for (const socket of this.#sockets.clients) socket.send(text)
  }

  async stop(): Promise<void> {
    this.drop()
    this.#sockets.close()
    const closed = once(this.#http, 'close')
    this.#http.close()
    this.#http.closeAllConnections() // of an agent that dials at this moment
    await closed
  }

  #accept(socket: WebSocket): void {
    this.dialed += 1
    const nonce = randomBytes(16).toString('hex')
    let isWelcome = false
    const instead = this.script.challenges.shift()
    socket.on('error', () => {})
    if (instead !== undefined) return this.#challengeWith(socket, instead)
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary && data[0] === historyFrameKind) return this.#receiveChunk(socket, data)
      if (isBinary) return this.#receiveFrame(data, isWelcome)
      const parsed = AgentMessage.safeParse(JSON.parse(data.toString()))
      if (!parsed.success) return void this.faults.push(`unreadable: ${data.toString().slice(0, 100)}`)
      const message = parsed.data
      if (message.type === 'hello') isWelcome = this.#answerHello(socket, nonce, message)
      else if (!isWelcome) this.faults.push(`${message.type} before the welcome`)
      else this.#process(socket, message)
    })
    const clock = this.script.clock()
    send(socket, { type: 'challenge', nonce, protocol: protocolVersion, oldest_protocol: 1, clock })
  }

  /** The agent may answer by a hello, and by nothing else. */
  #challengeWith(socket: WebSocket, text: string): void {
    socket.on('message', (data: Buffer) => {
      const parsed = Hello.safeParse(JSON.parse(data.toString()))
      if (!parsed.success) this.faults.push(`unreadable: ${data.toString().slice(0, 100)}`)
      socket.close(closeCodes.tryAgainLater, JSON.stringify({ message: 'Not now.' }))
    })
    socket.send(text)
  }

  #answerHello(socket: WebSocket, nonce: string, hello: Hello): boolean {
    this.hellos.push(hello)
    if (!this.#isSigned(nonce, hello)) this.faults.push('a wrong signature')
    const { refuseWith, settings, parked } = this.script
    if (refuseWith !== null) {
      socket.close(refuseWith.code, JSON.stringify(refuseWith.reason))
      return false
    }
    this.#catalogue = null
    this.#columns.clear()
    send(socket, { type: 'welcome', node_id: 1, parked })
    send(socket, { ...defaultSettings, ...settings })
    return true
  }

  #isSigned(nonce: string, hello: Hello): boolean {
    const prefix = Buffer.from('302a300506032b6570032100', 'hex')
    const der = Buffer.concat([prefix, Buffer.from(this.script.publicKey, 'base64')])
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    return verify(null, Buffer.from(helloText(nonce, hello)), key, Buffer.from(hello.signature, 'base64'))
  }

  #process(socket: WebSocket, message: AgentMessage): void {
    if (message.type === 'ping' || message.type === 'pong') this.clocks.push(message.clock)
    if (message.type === 'ping' && this.script.answersPings) send(socket, { type: 'pong', id: message.id })
    if (message.type === 'catalogue') this.#catalogue = message
    this.#learnColumns(message)
    if (message.type === 'device_usage') this.usages.push(message)
    if (message.type === 'answer') this.answers.push(message)
    if (message.type !== 'inventory') return
    this.inventories.push(message)
    this.#answer(socket, 'inventory', message.sequence)
  }

  #learnColumns(message: AgentMessage): void {
    if (message.type !== 'catalogue' && message.type !== 'history_columns') return
    const names = message.metrics.map(({ name }) => name)
    this.#columns.set(message.id, names)
  }

  #answer(socket: WebSocket, of: string, sequence: number): void {
    if (this.script.answer === 'refuse') send(socket, { type: 'refused', of, sequence, message: 'not now' })
    if (this.script.answer !== 'ack') return
    this.acknowledged.push(sequence)
    send(socket, { type: 'ack', sequence })
  }

  #receiveChunk(socket: WebSocket, bytes: Buffer): void {
    const { catalogue, sequence, chunk } = decodeHistoryFrame(bytes)
    const names = this.#columns.get(catalogue)
    if (names === undefined) return void this.faults.push('a chunk of an unknown catalogue')
    const { head, data } = splitChunk(chunk)
    this.chunks.push({ sequence, names, ...decodeChunk(head, data, names.length, readHead(head).readings) })
    this.#answer(socket, 'chunk', sequence)
  }

  #receiveFrame(data: Buffer, isWelcome: boolean): void {
    const frame = decodeMetricFrame(data)
    if (!isWelcome) this.faults.push('a frame before the welcome')
    if (frame.catalogue !== this.#catalogue?.id || frame.values.length !== this.#catalogue.metrics.length)
      this.faults.push('a frame of an unknown catalogue')
    this.frames.push(frame)
  }
}

function send(socket: WebSocket, message: object): void {
  socket.send(JSON.stringify(message))
}
