import { RoostError } from '@roost/api-types/rest'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isResponseSerializationError } from 'fastify-type-provider-zod'
import { innermost, statusOf } from '../../services/errors.js'
import { HttpError } from '../guards/http-error.js'
import { pathOf } from './method-table.js'
import type { MethodTable } from './method-table.js'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

/** The answer for an error. An unexpected error shows nothing but the request's id. */
export function answerTo(error: unknown, resource: string, requestId: string): Answer {
  if (error instanceof HttpError)
    return { status: error.status, headers: error.headers, body: { error: error.message } }
  if (error instanceof RoostError) return answerToRoostError(error, resource)
  const { statusCode = 500, code = '' } = error as Partial<FastifyError>
  if (statusCode >= 500)
    return { status: 500, headers: {}, body: { error: `Internal error. The log has details under ${requestId}.` } }
  return { status: statusCode, headers: {}, body: { error: sentences[code] ?? (error as Error).message } }
}

const sentences: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'The request body is larger than 1 MiB.',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'The request body must be application/json.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The request body is not as long as its Content-Length says.',
}

function answerToRoostError(error: RoostError, resource: string): Answer {
  const headers: Record<string, string> = {}
  if (error.code === 'unauthenticated') headers['www-authenticate'] = 'ApiKey'
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds)
  const body = error.fields === undefined ? { error: error.message } : { [resource]: error.fields }
  return { status: statusOf[error.code], headers, body }
}

export interface ErrorOptions {
  readonly methods: MethodTable
}

/** Answers 404, 405 and every error in the shapes of the contract. */
export function answerErrors(app: FastifyInstance, { methods }: ErrorOptions): void {
  app.setNotFoundHandler(async (request, reply) => {
    const allowed = methods.methodsOf(pathOf(request))
    if (allowed.length > 0) {
      reply.header('allow', allowed.join(', '))
      return reply.code(405).send({ error: `This path takes ${allowed.join(', ')}.` })
    }
    return reply.code(404).send({ error: 'There is nothing at this path.' })
  })
  app.setErrorHandler(async (error, request, reply) => {
    const answer = answerTo(error, request.routeOptions.config.resource ?? 'error', request.id)
    log(request, answer.status, error)
    return reply.code(answer.status).headers(answer.headers).send(answer.body)
  })
}

function log(request: FastifyRequest, status: number, error: unknown): void {
  if (status < 500) return
  const issues = isResponseSerializationError(error) ? { issues: error.cause.issues } : {}
  if (status === 500) request.log.error({ err: error, ...issues }, 'request failed')
  else request.log.warn({ reason: innermost(error) }, 'request not served')
}

/** For requests that reach no route: their path cannot be decoded. */
export function answerBadPath(_error: Error, request: FastifyRequest, reply: FastifyReply): void {
  void reply.code(404).header('x-request-id', request.id).send({ error: 'There is nothing at this path.' })
}
