import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { LogController } from 'fastify'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { isWithin } from '../config/networks.js'
import type { Proxies } from '../config/proxies.js'
import { compressAnswers } from './compression.js'
import { answerBadPath } from './dialect/error-handler.js'
import { sliceLongAnswers } from './dialect/slices.js'
import { HttpError } from './guards/http-error.js'
import { cutStalledReaders } from './guards/stalled-readers.js'

export interface ServerOptions {
  readonly log: FastifyBaseLogger
  /** Null: plain HTTP. `cert` holds the chain. */
  readonly tls: { readonly key: string; readonly cert: string } | null
  /** The proxies in front: the address that one of them names is the caller's. */
  readonly proxies: Proxies
}

/** Metric lists and account names are long. */
const maxHeaderBytes = 64 * 1024

const limits = {
  bodyLimit: 1024 * 1024,
  // Node cuts slow senders only when headersTimeout is below requestTimeout and checks often enough.
  requestTimeout: 10_000,
  connectionTimeout: 30_000,
  keepAliveTimeout: 65_000,
} as const
const headersTimeoutMs = 5_000
/** Timeout of a client that does not read its answer. */
const readTimeoutMs = 30_000
/** TLS 1.3, and those of TLS 1.2 that authenticate what they encrypt. */
const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE+AESGCM',
  'ECDHE+CHACHA20',
].join(':')
const nodeLimits = { maxHeaderSize: maxHeaderBytes, connectionsCheckingInterval: 1_000 } as const

/** Fastify with the limits, ids and paths of the contract; knows no route yet. */
export function createServer({ log, tls, proxies }: ServerOptions): FastifyInstance {
  const options = {
    ...limits,
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
    // Only one hop is trusted: clients can forge the other entries of X-Forwarded-For.
    trustProxy: (address: string, hop: number) => hop === 0 && isWithin(proxies, address),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: maxHeaderBytes },
    genReqId: requestId,
    rewriteUrl: overrideMethod,
    frameworkErrors: answerBadPath as never,
    clientErrorHandler: refuseBadRequest,
  }
  const app = tls
    ? (Fastify({
        ...options,
        https: { ...tls, ...nodeLimits, ciphers, handshakeTimeout: 5_000 },
      }) as unknown as FastifyInstance)
    : (Fastify({ ...options, http: nodeLimits }) as unknown as FastifyInstance)
  app.server.headersTimeout = headersTimeoutMs
  app.addHook('onRequest', async (request, reply) => void reply.header('x-request-id', request.id))
  app.addHook('onRequest', async ({ raw }) => requireOneHost(raw))
  sliceLongAnswers(app)
  compressAnswers(app)
  cutStalledReaders(app, readTimeoutMs)
  return app
}

/**
 * Applies X-HTTP-Method-Override of a POST, for clients whose proxies or libraries know no PATCH and DELETE. It runs where
 * Fastify rewrites URLs: the only step before the route is chosen.
 */
function overrideMethod(request: IncomingMessage): string {
  const method = String(request.headers['x-http-method-override']).trim().toUpperCase()
  if (request.method === 'POST' && (method === 'PATCH' || method === 'DELETE')) request.method = method
  return request.url ?? '/'
}

/** Two programs may choose differently between two names: a proxy the first, and the next server the second. */
function requireOneHost({ rawHeaders }: IncomingMessage): void {
  const hosts = rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === 'host')
  if (hosts.length > 1) throw new HttpError(400, 'The request has more than one Host header.')
}

/** The caller's own id where it is harmless in a log, or a new one. */
function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID()
}

const parserErrors: Readonly<Record<string, readonly [status: string, sentence: string]>> = {
  ERR_SSL_HTTP_REQUEST: ['400 Bad Request', 'This port speaks HTTPS. Use https:// in the URL.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are larger than 64 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
}

/** The socket of a failed TLS handshake. Node has no public name for the connection below it. */
interface FailedTlsSocket extends Socket {
  readonly _parent?: Socket
}

/** Answers requests that are not valid HTTP, too large, too slow, or plain HTTP on the port of HTTPS. */
function refuseBadRequest(error: NodeJS.ErrnoException, received: FailedTlsSocket): void {
  const { _parent: connection = received } = received
  const socket = error.code === 'ERR_SSL_HTTP_REQUEST' ? connection : received
  // After another failure of the TLS handshake the client cannot read an answer, and writing one would keep the socket open.
  if (!/^(?:HPE|ERR_HTTP|ERR_SSL_HTTP)_/.test(error.code ?? '') || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, sentence] = parserErrors[error.code ?? ''] ?? ['400 Bad Request', 'The request is not valid HTTP.']
  const body = JSON.stringify({ error: sentence })
  const head = [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroySoon()
}
