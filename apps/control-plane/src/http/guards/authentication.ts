import type { Caller } from '@roost/api-types/rpc'
import { RoostError } from '@roost/api-types/rest'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { messages, tooManyRequests } from '../../services/messages.js'
import { createFailureLimit } from '../../services/failure-limit.js'
import { countWindows } from '../../services/windows.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers without credentials. Everything else needs them. */
    readonly public?: boolean
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
    options: { readonly whileAway: boolean },
  ): Promise<Pick<Caller, 'operatorId' | 'operator' | 'role' | 'keyId'> | undefined>
}

interface AuthenticationOptions {
  readonly authenticator: Authenticator
  /** Monotonic milliseconds. */
  readonly now: () => number
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
export function requireOperator(
  app: FastifyInstance,
  { authenticator, now, admitted, failed }: AuthenticationOptions,
): void {
  const failures = createFailureLimit(10, now)
  const requests = countWindows({ max: 200, windowMs: 1_000, now })
  app.decorateRequest('caller', null)
  app.addHook('onRequest', async (request) => {
    const { config } = request.routeOptions
    if (request.is404 || config.public === true) return
    refuse(failures.retryAfterSeconds(request.ip), 'Too many failed authentications from this address.')
    const { user, key } = credentialsOf(request)
    const operator = await authenticator.authenticate(user, key, { whileAway: config.whileAway === true })
    if (operator === undefined) {
      failures.fail(request.ip)
      if (key !== '') failed(request)
      throw new RoostError('unauthenticated', messages.credentialsRequired)
    }
    admitted(request)
    request.caller = { ...operator, address: request.ip, requestId: request.id }
    if (config.ownRoles !== true && operator.role !== 'admin' && !['GET', 'HEAD'].includes(request.method))
      throw new RoostError('forbidden', messages.readOnlyOperator)
    const subject = String(operator.keyId)
    const calls = config.callsOf?.(request) ?? 1
    refuse(requests.retryAfterSeconds(subject, calls), 'Too many requests with this key.')
    requests.count(subject, calls)
  })
}

function refuse(retryAfterSeconds: number | undefined, message: string): void {
  if (retryAfterSeconds !== undefined)
    throw new RoostError('too_many', tooManyRequests(message, retryAfterSeconds), { retryAfterSeconds })
}

/** Returns empty strings, which match no key, for malformed credentials: the lookup runs in every case. */
function credentialsOf(request: FastifyRequest): { readonly user: string; readonly key: string } {
  const query = new URLSearchParams(request.url.split('?', 2)[1] ?? '')
  const [, credentials] = /^apikey +(.*)$/is.exec(request.headers.authorization ?? '') ?? []
  const colon = credentials?.indexOf(':') ?? -1
  // A key in the URL ends up in logs, so that it is refused even beside a valid header.
  if (credentials === undefined || colon < 0 || query.has('api_key')) return { user: '', key: '' }
  return { user: credentials.slice(0, colon), key: credentials.slice(colon + 1) }
}
