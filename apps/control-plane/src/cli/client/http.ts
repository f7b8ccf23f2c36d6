import { request as plainRequest } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import type { TLSSocket } from 'node:tls'
import { printable } from '@roost/runtime'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { describeUnreachable } from './target.js'
import type { Target } from './target.js'

export interface HttpRequest {
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs?: number
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** Unix milliseconds; null without TLS. */
  readonly certificateValidUntil: number | null
}

const probeTimeoutMs = 10_000

class NoAnswerError extends Error {}

/** Sends one request. Rejects with a sentence if the control plane cannot be called. */
export async function sendRequest(target: Target, asked: HttpRequest): Promise<HttpAnswer> {
  try {
    const response = await sendOnce(target, asked)
    const { socket, statusCode: status = 0, headers } = response
    const validTo = 'getPeerCertificate' in socket ? (socket as TLSSocket).getPeerCertificate().valid_to : undefined
    const certificateValidUntil = validTo === undefined ? null : Date.parse(validTo)
    return { status, headers, body: await text(response), certificateValidUntil }
  } catch (error) {
    const code = error instanceof NoAnswerError ? exitCodes.timeout : exitCodes.error
    throw new CommandError(describeUnreachable(target.url, error), code)
  }
}

const codesOfStatuses: Readonly<Record<number, number>> = {
  400: exitCodes.usage,
  401: exitCodes.unauthorized,
  403: exitCodes.unauthorized,
  404: exitCodes.notFound,
  409: exitCodes.conflict,
  412: exitCodes.conflict,
}

/** As `sendRequest`; an answer that is an error ends the command with its text and an exit code. */
export async function sendAccepted(target: Target, request: HttpRequest): Promise<HttpAnswer> {
  const answer = await sendRequest(target, request)
  if (answer.status < 400) return answer
  const text = printable(answer.body.trim())
  throw new CommandError(
    `${request.method ?? 'GET'} ${request.path} was answered with status ${answer.status}: ${text}`,
    codesOfStatuses[answer.status] ?? exitCodes.error,
  )
}

function sendOnce({ url, ca }: Target, asked: HttpRequest): Promise<IncomingMessage> {
  const { path, method = 'GET', headers = {}, body, timeoutMs = probeTimeoutMs } = asked
  const send = url.startsWith('http:') ? plainRequest : request
  const options = { method, headers, timeout: timeoutMs, ...(ca !== undefined && { ca }) }
  return new Promise((resolve, reject) => {
    const sent = send(new URL(path, url), options, resolve)
    sent.on('timeout', () => sent.destroy(new NoAnswerError(`no answer within ${timeoutMs / 1000} s`)))
    sent.on('error', reject)
    sent.end(body)
  })
}
