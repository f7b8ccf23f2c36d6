import { createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The parsed JSON; undefined where there is none. */
  readonly body: ReturnType<typeof JSON.parse>
}

/** A server that records what it gets. */
export interface ReceivingServer {
  readonly url: string
  readonly received: ReceivedRequest[]
  /** Its next answers: a status with a body and headers, or none at all. */
  answer: { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> } | 'none'
  stop(): Promise<void>
}

export interface ReceivingOptions {
  /** Of a server at the same address as before. */
  readonly port?: number
  /** With TLS. */
  readonly tls?: { readonly key: string; readonly cert: string }
}

export async function startReceivingServer({ port = 0, tls }: ReceivingOptions = {}): Promise<ReceivingServer> {
  const received: ReceivedRequest[] = []
  const state: Pick<ReceivingServer, 'answer'> = { answer: { status: 200 } }
  const accept: RequestListener = (request, response) => void answerTo(request, response)
  const answerTo = async (request: IncomingMessage, response: ServerResponse) => {
    const text = await textOf(request)
    const { method = '', url: path = '', headers } = request
    received.push({ method, path, headers, body: text === '' ? undefined : JSON.parse(text) })
    if (state.answer === 'none') return
    response.writeHead(state.answer.status, state.answer.headers).end(state.answer.body)
  }
  const server = tls === undefined ? createServer(accept) : createSecureServer(tls, accept)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()))
  const { port: bound } = server.address() as AddressInfo
  return Object.assign(state, {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${bound}`,
    received,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}
