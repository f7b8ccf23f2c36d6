import { request as plainRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { EnrollConflict, type EnrollRequest, EnrollResponse } from '@roost/api-types/agent'
import * as z from 'zod/mini'
import { clockRemedy } from './clock-skew.js'
import { connectionError, EnrollError } from './enroll-error.js'
import { fetchPinned } from './pin.js'
import { splitPem } from './trust.js'

export interface EnrollOptions {
  readonly server: URL
  /** SHA-256 of the authority's public key or certificate; null: Node's own authorities vouch for the server. */
  readonly caSha256: string | null
  readonly body: EnrollRequest
}

export interface Enrolled {
  readonly response: EnrollResponse
  /** PEM of the authorities to trust from now on; none: Node's own. */
  readonly authorities: readonly string[]
  /** How far this machine's clock is ahead of the server's; null where the server sends no date. */
  readonly skewSeconds: number | null
}

interface Answer {
  readonly status: number
  readonly body: unknown
  readonly skewSeconds: number | null
}

const deadlineMs = 15_000
const maxAnswerBytes = 1 << 20

/** Sends the token and this node's public key. Throws EnrollError. */
export async function requestEnrollment({ server, caSha256, body }: EnrollOptions): Promise<Enrolled> {
  requireSafe(server)
  const pinned = caSha256 === null || server.protocol === 'http:' ? null : await fetchPinned(server, caSha256)
  const answer = await post(new URL('/agent/v1/enroll', server), body, pinned).catch((error: unknown) => {
    throw connectionError(error, server, new Date())
  })
  const response = EnrollResponse.safeParse(answer.body)
  if (answer.status >= 300) throw refusal(answer, server)
  if (!response.success) throw wrongAnswer(answer, response.error, server)
  const authorities = readAuthorities(response.data.ca, server)
  return {
    response: response.data,
    authorities: authorities.length > 0 || pinned === null ? authorities : [pinned],
    skewSeconds: answer.skewSeconds,
  }
}

/** An agent without readable authorities would trust those of Node, or reach no control plane. */
function readAuthorities(sent: readonly string[], server: URL): readonly string[] {
  try {
    const authorities = sent.map(splitPem)
    if (authorities.every(({ length }) => length > 0)) return authorities.flat()
  } catch {
    // What it cannot read is refused below.
  }
  throw new EnrollError(
    `${server.origin} answered with certificate authorities that cannot be read.`,
    'Check the certificates of the control plane with `roost doctor` there, then enroll again.',
  )
}

/** A token must not be sent unencrypted over a network. */
function requireSafe(server: URL): void {
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(server.hostname)
  if (server.protocol === 'https:' || (server.protocol === 'http:' && isLocal)) return
  throw new EnrollError(
    `The token would be sent to ${server.origin} unencrypted.`,
    'Use the https:// address of the control plane. http:// is permitted only for a control plane on this machine.',
  )
}

async function post(url: URL, body: object, pinned: string | null): Promise<Answer> {
  const text = JSON.stringify(body)
  const sentAt = Date.now()
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
      agent: false,
      signal: AbortSignal.timeout(deadlineMs),
    } as const
    const outgoing =
      url.protocol === 'http:'
        ? plainRequest(url, options, resolve)
        : tlsRequest(url, { ...options, ...(pinned === null ? {} : { ca: pinned }) }, resolve)
    outgoing.on('error', (error) =>
      reject(error.name === 'AbortError' ? Object.assign(error, { code: 'ETIMEDOUT' }) : error),
    )
    outgoing.end(text)
  })
  const clock = Date.parse(response.headers.date ?? '')
  // The header counts whole seconds, cut off.
  const skewSeconds = Number.isNaN(clock) ? null : ((sentAt + Date.now()) / 2 - clock) / 1000 - 0.5
  return { status: response.statusCode ?? 0, body: await readJson(response), skewSeconds }
}

async function readJson(response: IncomingMessage): Promise<unknown> {
  let text = ''
  response.setEncoding('utf8')
  for await (const chunk of response as AsyncIterable<string>) {
    text += chunk
    if (text.length > maxAnswerBytes) break
  }
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An identity with a field out of shape would fail only at the first session, and keep the next enrollment from being made. */
function wrongAnswer({ status, body }: Answer, { issues }: z.core.$ZodError, server: URL): EnrollError {
  const isOfRoost = Object.keys(EnrollResponse.shape).some((field) => Object.hasOwn(Object(body) as object, field))
  if (!isOfRoost) return new EnrollError(...notRoost(server, status))
  const fields = [...new Set(issues.map(({ path }) => String(path[0])))].join(', ')
  return new EnrollError(
    `${server.origin} answered with an enrollment whose ${fields} cannot be used. Nothing was stored.`,
    'Check that the address is that of the control plane, and that no proxy between changes its answers, then run the same line again: the same machine gets the same answer.',
  )
}

const ErrorBody = z.object({ error: z.string().check(z.trim(), z.minLength(1)) })

function refusal({ status, body, skewSeconds }: Answer, server: URL): EnrollError {
  const conflict = EnrollConflict.safeParse(body)
  if (status === 409 && conflict.success) return knownNode(conflict.data)
  const answered = ErrorBody.safeParse(body)
  const [cause, remedy] =
    statusMeanings[status >= 500 ? 500 : status] ?? (answered.success ? otherError : notRoost(server, status))
  return new EnrollError(answered.success ? answered.data.error : cause, clockRemedy(skewSeconds) ?? remedy)
}

type Meaning = readonly [cause: string, remedy: string]

const otherError: Meaning = ['', 'Fix that, then enroll again.']

function notRoost(server: URL, status: number): Meaning {
  return [
    `${server.origin} answered with status ${status} and is not a Roost control plane.`,
    'Check the address and the port. The line that `roost token create` prints has both.',
  ]
}

const statusMeanings: Readonly<Record<number, Meaning>> = {
  401: [
    'The token was not accepted.',
    'Create a new one with `roost token create` on the control plane. Each token works once, within an hour.',
  ],
  429: ['Too many attempts from this address.', 'Wait a minute, then try again.'],
  500: [
    'The control plane cannot enroll this machine at the moment.',
    'Try again in a minute. If that does not help, see the log of the control plane.',
  ],
}

function knownNode({ error, known_node: { id, hostname, last_seen } }: EnrollConflict): EnrollError {
  return new EnrollError(
    `${error} (node ${id}, ${hostname}, last seen ${last_seen ?? 'never'})`,
    'Run the same line with --take-place to continue as that node, or with --new-node to enroll as a new node. The token is still valid.',
  )
}
