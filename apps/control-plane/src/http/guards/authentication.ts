import type { Caller } from '@roost/api-types/rpc'
import { RoostError } from '@roost/api-types/rest'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { messages, tooManyRequests } from '../../services/messages.js'
import { createFailureLimit } from '../../services/failure-limit.js'
import { countWindows } from '../../services/windows.js'
import { clearSessionCookie, isFromOwnPage, readSessionCookie } from './session-cookie.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers without credentials. Everything else needs them. */
    readonly public?: boolean
    /** Answers also without credentials, and where the session of a cookie has ended: the caller is then null. */
    readonly optionalCaller?: boolean
    /** Answers known keys also while the database is unavailable. */
    readonly whileAway?: boolean
    /** The handler checks roles, because the HTTP method does not say if it is a write. */
    readonly ownRoles?: boolean
    /** How many calls a request of this route makes, for the rate of the key; one unless given. */
    readonly callsOf?: (request: FastifyRequest) => number
    /** The resource's name, for field errors and documentation. */
    readonly resource?: string
    /** Also answers CSV, for the documentation. */
    readonly csv?: boolean
    /** An example answer, for the documentation. */
    readonly example?: unknown
    /** The answer has an `ETag`, for the documentation. */
    readonly etag?: boolean
  }
  interface FastifyRequest {
    caller: Caller | null
  }
}

/** Identifies the caller. Every failure takes the same path and the same time. */
export interface Authenticator {
  authenticate(
    user: string,
    key: string,
    options: { readonly whileAway: boolean; readonly kind: 'key' | 'session' },
  ): Promise<Pick<Caller, 'operatorId' | 'operator' | 'role' | 'keyId'> | undefined>
}

interface AuthenticationOptions {
  readonly authenticator: Authenticator
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** Returns true for the origins of this server, such as `https://roost.example:8443`. */
  readonly isOwnOrigin: (origin: string, request: FastifyRequest) => boolean
  /** Called for each request that carried good credentials. */
  readonly admitted: (request: FastifyRequest) => void
  /** Called for each request that carried a wrong name or key. */
  readonly failed: (request: FastifyRequest) => void
}

/** Returns the caller of a route that is not public. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new RoostError('unauthenticated', messages.credentialsRequired)
  return request.caller
}

/** Checks in the order of the contract: failed attempts of the address, credentials, role, rate of the key. */
export function requireOperator(app: FastifyInstance, options: AuthenticationOptions): void {
  const { now, admitted } = options
  const identify = identifier(options)
  const requests = countWindows({ max: 200, windowMs: 1_000, now })
  app.decorateRequest('caller', null)
  app.addHook('onRequest', async (request, reply) => {
    const { config } = request.routeOptions
    if (request.is404 || config.public === true) return
    const operator = await identify(request, reply)
    if (operator === undefined) return
    admitted(request)
    request.caller = { ...operator, address: request.ip, requestId: request.id }
    if (config.ownRoles !== true && operator.role !== 'admin' && !['GET', 'HEAD'].includes(request.method))
      throw new RoostError('forbidden', messages.readOnlyOperator)
    const subject = String(operator.keyId)
    const calls = config.callsOf?.(request) ?? 1
    refuseTooMany(requests.retryAfterSeconds(subject, calls), 'Too many requests with this key.')
    requests.count(subject, calls)
  })
}

/** Cookies of sessions that have ended: each is looked up, and counted as a failure, once, however many tabs still send it. */
const maxEnded = 1_000

/** Returns a function that finds the operator of a request; undefined where the route answers without one. */
function identifier({ authenticator, now, failed, isOwnOrigin }: AuthenticationOptions) {
  const failures = createFailureLimit(10, now)
  const ended = new LRUCache<string, true>({ max: maxEnded })
  const withKey = async (request: FastifyRequest, { user, key }: Credentials) => {
    const { whileAway = false } = request.routeOptions.config
    const operator = await authenticator.authenticate(user, key, { whileAway, kind: 'key' })
    if (operator !== undefined) return operator
    failures.fail(request.ip)
    if (key !== '') failed(request)
    throw new RoostError('unauthenticated', messages.credentialsRequired)
  }
  const withSession = async (request: FastifyRequest, { user, key }: Credentials, reply: FastifyReply) => {
    const { optionalCaller = false, whileAway = false } = request.routeOptions.config
    if (!isFromOwnPage(request, (origin) => isOwnOrigin(origin, request)))
      throw new RoostError('forbidden', messages.foreignPage)
    const asked = { whileAway, kind: 'session' } as const
    const operator = ended.has(key) ? undefined : await authenticator.authenticate(user, key, asked)
    if (operator !== undefined) return operator
    if (!ended.has(key)) failures.fail(request.ip)
    ended.set(key, true)
    clearSessionCookie(reply)
    if (optionalCaller) return undefined
    throw new RoostError('unauthenticated', messages.credentialsRequired)
  }
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const credentials = credentialsOf(request)
    if (request.routeOptions.config.optionalCaller === true && credentials.kind === 'none') return undefined
    refuseTooMany(failures.retryAfterSeconds(request.ip), 'Too many failed authentications from this address.')
    return credentials.kind === 'session' ? withSession(request, credentials, reply) : withKey(request, credentials)
  }
}

/** Throws where a caller has to wait. */
export function refuseTooMany(retryAfterSeconds: number | undefined, message: string): void {
  if (retryAfterSeconds !== undefined)
    throw new RoostError('too_many', tooManyRequests(message, retryAfterSeconds), { retryAfterSeconds })
}

interface Credentials {
  readonly kind: 'key' | 'session' | 'none'
  readonly user: string
  readonly key: string
}

/** Returns empty strings, which match no key, for malformed credentials: the lookup runs in every case. */
function credentialsOf(request: FastifyRequest): Credentials {
  const [kind, credentials = ''] = sentBy(request)
  const colon = credentials.indexOf(':')
  const query = new URLSearchParams(request.url.split('?', 2)[1] ?? '')
  // A key in the URL ends up in logs, so that it is refused even beside a valid header.
  if (colon < 0 || query.has('api_key')) return { kind, user: '', key: '' }
  return { kind, user: credentials.slice(0, colon), key: credentials.slice(colon + 1) }
}

/** A cookie counts only without a header. */
function sentBy(request: FastifyRequest): readonly [kind: Credentials['kind'], text?: string | undefined] {
  const { authorization } = request.headers
  if (authorization !== undefined) return ['key', /^apikey +(.*)$/is.exec(authorization)?.[1]]
  const cookie = readSessionCookie(request)
  return cookie === undefined ? ['none'] : ['session', cookie]
}
