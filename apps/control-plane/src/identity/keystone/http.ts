import { request as plain } from 'node:http'
import { request as secure } from 'node:https'
import type { IncomingMessage } from 'node:http'

export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** PEM of the authorities to trust; undefined: those of Node. */
  readonly ca: string | undefined
  readonly signal: AbortSignal
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** An answer with the users and projects of a large domain has about 4 MB. */
const maxBytes = 64 << 20

/** Sends one request and reads its answer. Follows no redirect: a token must not reach another server. */
export function send({ method, url, headers, body, ca, signal }: HttpRequest): Promise<HttpAnswer> {
  const start = url.startsWith('https:') ? secure : plain
  return new Promise((resolve, reject) => {
    // A connection for each request: servers such as uWSGI end a kept one while the next request is on its way.
    const options = { method, headers, signal, agent: false, ...(ca === undefined ? {} : { ca }) }
    const sent = start(url, options, (answer) => {
      readText(answer).then(
        (text) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }),
        (error: unknown) => reject(error instanceof Error ? error : new Error(String(error))),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function readText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error(`the answer has more than ${maxBytes >> 20} MiB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
