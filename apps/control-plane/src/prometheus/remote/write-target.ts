import { request as plain } from 'node:http'
import { request as secure } from 'node:https'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import type { WriteAnswer } from './writer.js'

/** The server of remote_write. */
export interface WriteTarget {
  readonly url: string
  /** Path of a file with `user:password` or with a token of one line; null: no credentials. */
  readonly credentialsFile: string | null
  /** Path of the PEM of the authority to trust; null: those of Node. */
  readonly caFile: string | null
}

const timeoutMs = 30_000
const keptCharacters = 300

/** Returns a function that sends a request of remote_write. Its files are read each time, so that they can be renewed. */
export function sendTo({ url, credentialsFile, caFile }: WriteTarget) {
  return async (body: Buffer, signal: AbortSignal): Promise<WriteAnswer> => {
    const [credentials, ca] = await Promise.all([readOptional(credentialsFile), readOptional(caFile)])
    const headers = {
      'content-type': 'application/x-protobuf',
      'content-encoding': 'snappy',
      'x-prometheus-remote-write-version': '0.1.0',
      'content-length': String(body.length),
      ...(credentials !== undefined && { authorization: authorization(credentials.trim()) }),
    }
    const { status, text } = await post({ url, headers, body, ca, signal })
    if (status >= 200 && status < 300) return { kind: 'accepted' }
    // What the server will accept at no time; 429 and errors of the server pass.
    if (status === 400 || status === 413 || status === 422) return { kind: 'refused', reason: `${status} ${text}` }
    throw new Error(`the server answered ${status} ${text}`)
  }
}

function authorization(credentials: string): string {
  return credentials.includes(':') ? `Basic ${Buffer.from(credentials).toString('base64')}` : `Bearer ${credentials}`
}

async function readOptional(path: string | null): Promise<string | undefined> {
  return path === null ? undefined : readFile(path, 'utf8')
}

interface Post {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly ca: string | undefined
  readonly signal: AbortSignal
}

function post({ url, headers, body, ca, signal }: Post): Promise<{ readonly status: number; readonly text: string }> {
  const start = url.startsWith('https:') ? secure : plain
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers, signal: bounded, ...(ca !== undefined && { ca }) }
    const sent = start(url, options, (answer) => {
      readText(answer).then((text) => resolve({ status: answer.statusCode ?? 0, text }), reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Reads the answer to its end, so that the connection can be used again, and keeps its beginning. */
async function readText(answer: IncomingMessage): Promise<string> {
  let text = ''
  answer.setEncoding('utf8')
  for await (const part of answer as AsyncIterable<string>) if (text.length < keptCharacters) text += part
  return text.slice(0, keptCharacters).trim()
}
