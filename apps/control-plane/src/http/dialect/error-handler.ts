import { RoostError } from '@roost/api-types/rest'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isResponseSerializationError } from 'fastify-type-provider-zod'
import { innermost } from '../../services/errors.js'
import { internalError, messages } from '../../services/messages.js'
import { HttpError } from '../guards/http-error.js'
import { statusOf } from './answers.js'
import { pathOf } from './method-table.js'
import type { MethodTable } from './method-table.js'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

/** Returns the answer for an error. That for an unexpected error contains only the request's id. */
export function answerTo(error: unknown, resource: string, requestId: string): Answer {
  if (error instanceof HttpError)
    return { status: error.status, headers: error.headers, body: { error: error.message } }
  if (error instanceof RoostError) return answerToRoostError(error, resource)
  const { statusCode = 500, code = '' } = error as Partial<FastifyError>
  if (statusCode >= 500) return { status: 500, headers: {}, body: { error: internalError(requestId) } }
  return { status: statusCode, headers: {}, body: { error: sentences[code] ?? (error as Error).message } }
}

const sentences: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: messages.bodyTooLarge,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: messages.notJson,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The Content-Length differs from the length of the request body.',
}

function answerToRoostError(error: RoostError, resource: string): Answer {
  const headers: Record<string, string> = {}
  if (error.code === 'unauthenticated') headers['www-authenticate'] = 'ApiKey'
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds)
  const body = error.fields === undefined ? { error: error.message } : { [resource]: error.fields }
  return { status: statusOf(error.code), headers, body }
}

export interface ErrorOptions {
  readonly methods: MethodTable
}

/** Answers OPTIONS, 404, 405 and every error in the shapes of the contract. */
export function answerErrors(app: FastifyInstance, { methods }: ErrorOptions): void {
  app.setNotFoundHandler(async (request, reply) => {
    const allowed = methods.methodsOf(pathOf(request))
    if (allowed.length > 0) {
      reply.header('allow', allowed.join(', '))
      if (request.method === 'OPTIONS') return reply.code(200).send()
      return reply.code(405).send({ error: `This method is not allowed. Use ${allowed.join(', ')}.` })
    }
    return reply.code(404).send({ error: messages.pathNotFound })
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
  else request.log.warn({ reason: innermost(error) }, 'request failed temporarily')
}

/** Answers requests whose path cannot be decoded: they reach no route. */
export function answerBadPath(_error: Error, request: FastifyRequest, reply: FastifyReply): void {
  void reply.code(404).header('x-request-id', request.id).send({ error: messages.pathNotFound })
}
