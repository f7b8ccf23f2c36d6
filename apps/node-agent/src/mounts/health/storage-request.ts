import { readFileSync } from 'node:fs'
import { type IncomingHttpHeaders, type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'

export interface StorageAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Empty unless it was asked for. */
  readonly text: string
}

export interface StorageRequestOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** JSON that is sent; the answer is then read, too. */
  readonly body?: unknown
}

/** Sends one request, and rejects when there is no answer in time. */
export type SendRequest = (method: string, url: string, options?: StorageRequestOptions) => Promise<StorageAnswer>

/** The catalog of the largest Keystone has fewer bytes. */
const maxAnswerBytes = 4 << 20
/** Trusts the authorities of this machine, as rclone does; Node has a list of its own. */
const trustFiles = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/ca-bundle.pem']

/** Returns the function that sends requests. `ca` is the PEM of the authorities to trust, by default those of the machine. */
export function requestsWithin(deadlineMs: number, ca: string | undefined, ending?: AbortSignal): SendRequest {
  return (method, url, { headers = {}, body } = {}) => {
    const deadline = AbortSignal.timeout(deadlineMs)
    const signal = ending === undefined ? deadline : AbortSignal.any([deadline, ending])
    const json = body === undefined ? undefined : JSON.stringify(body)
    const jsonHeaders = { accept: 'application/json', 'content-type': 'application/json' }
    // A server may close a connection while it is used again, and a login is not repeated: it has a connection of its own.
    const own = { agent: false as const, headers: { connection: 'close', ...jsonHeaders, ...headers } }
    const options = { method, signal, ...(json === undefined ? { headers } : own) }
    return new Promise((resolve, reject) => {
      const answered = (answer: IncomingMessage) => {
        const { statusCode: status = 0, headers: received } = answer
        const end = (text: string) => resolve({ status, headers: received, text })
        if (json !== undefined) readText(answer).then(end, reject)
        else {
          answer.once('error', () => {}).resume()
          end('')
        }
      }
      const sent = url.startsWith('https:')
        ? requestTls(url, { ...options, ...(ca === undefined ? {} : { ca }) }, answered)
        : requestPlain(url, options, answered)
      sent.once('error', reject)
      sent.end(json)
    })
  }
}

async function readText(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of answer as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > maxAnswerBytes) throw new Error('The answer is too large.')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** Returns the authorities of the machine; undefined where they are in another file. */
export function machineTrust(): string | undefined {
  for (const file of trustFiles) {
    try {
      return readFileSync(file, 'utf8')
    } catch {
      // Another distribution keeps it elsewhere.
    }
  }
  return undefined
}
