import { request as plain } from 'node:http'
import { request as secure } from 'node:https'
import type { IncomingMessage } from 'node:http'
import type { LookupFunction } from 'node:net'

export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** PEM of the authorities to trust; undefined: those of Node. */
  readonly ca: string | undefined
  readonly signal: AbortSignal
  /** Finds the address of the host; undefined: as the machine does. */
  readonly lookup?: LookupFunction
  /** How much of the answer is read; the rest is not, and its connection is closed. */
  readonly keptBytes?: number
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** An answer with the users and projects of a large domain has about 4 MB. */
const maxBytes = 64 << 20

/** Sends one request and reads its answer. Follows no redirect: a token must not reach another server. */
export function sendHttp({ url, body, ca, lookup, keptBytes, ...rest }: HttpRequest): Promise<HttpAnswer> {
  const start = url.startsWith('https:') ? secure : plain
  return new Promise((resolve, reject) => {
    // A connection for each request: servers such as uWSGI end a kept one while the next request is on its way.
    const options = { ...rest, agent: false, ...(ca !== undefined && { ca }), ...(lookup !== undefined && { lookup }) }
    const sent = start(url, options, (answer) => {
      readText(answer, keptBytes).then(
        (text) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }),
        (error: unknown) => reject(error instanceof Error ? error : new Error(String(error))),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function readText(answer: IncomingMessage, keptBytes: number | undefined): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    // Leaving the loop destroys the answer.
    if (keptBytes !== undefined && bytes > keptBytes) break
    if (bytes > maxBytes) throw new Error(`the answer has more than ${maxBytes >> 20} MiB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
