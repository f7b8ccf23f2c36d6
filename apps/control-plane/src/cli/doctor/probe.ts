import { request } from 'node:https'
import { request as plainRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { text } from 'node:stream/consumers'
import { CommandError } from '../terminal/exit-codes.js'
import { describeUnreachable } from '../client/target.js'
import type { Target } from '../client/target.js'

/** The answer to a request without a key. */
export interface Probe {
  readonly status: number
  readonly body: string
  /** Unix milliseconds; null without TLS. */
  readonly certificateValidUntil: number | null
}

const timeoutMs = 10_000

/** Requests a public path. Rejects with a sentence if the control plane cannot be called. */
export async function probe(target: Target, path: string): Promise<Probe> {
  try {
    const response = await requestOnce(target, path)
    const { socket, statusCode: status = 0 } = response
    const validTo = 'getPeerCertificate' in socket ? (socket as TLSSocket).getPeerCertificate().valid_to : undefined
    const certificateValidUntil = validTo === undefined ? null : Date.parse(validTo)
    return { status, body: await text(response), certificateValidUntil }
  } catch (error) {
    throw new CommandError(describeUnreachable(target.url, error))
  }
}

function requestOnce({ url, ca }: Target, path: string): Promise<IncomingMessage> {
  const send = url.startsWith('http:') ? plainRequest : request
  return new Promise((resolve, reject) => {
    const sent = send(new URL(path, url), { timeout: timeoutMs, ...(ca !== undefined && { ca }) }, resolve)
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)))
    sent.on('error', reject)
    sent.end()
  })
}
