import { appRouter, maxBatchSize, trpcCodes } from '@roost/api-types/rpc'
import type { RpcContext, Services } from '@roost/api-types/rpc'
import { RoostError, sentence } from '@roost/api-types/rest'
import { TRPCError } from '@trpc/server'
import { fastifyTRPCPlugin } from '@trpc/server/adapters/fastify'
import type { FastifyTRPCPluginOptions } from '@trpc/server/adapters/fastify'
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { etagOf } from '../services/etag.js'
import { callerOf } from '../http/guards/authentication.js'
import type { Idempotency } from '../http/dialect/idempotency.js'
import { HttpError } from '../http/guards/http-error.js'
import { answerTo } from '../http/dialect/error-handler.js'
import { parseJson } from '../http/guards/json.js'

/** Where the typed API is. */
export const rpcPrefix = '/trpc'

export interface RpcOptions {
  readonly services: Services
  readonly idempotency: Idempotency
}

/** The router of api-types over the same services, with the authentication, rates and limits of REST. */
export async function mountRpc(app: FastifyInstance, { services, idempotency }: RpcOptions): Promise<void> {
  // tRPC gives its parsers no sentences along, as `parseFields` does for REST.
  z.config({ customError: sentence })
  await app.register(async (scope) => {
    // What is a write, the router knows: queries may come by POST.
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, ownRoles: true, secretAnswer: true, callsOf }
    })
    scope.addHook('preValidation', async ({ body }) => void (typeof body === 'string' && parseJson(body)))
    scope.setErrorHandler(async (error, request, reply) => {
      const { status, headers, body } = rpcAnswerTo(error, request)
      return reply.code(status).headers(headers).send(body)
    })
    await scope.register(fastifyTRPCPlugin, {
      prefix: rpcPrefix,
      trpcOptions: {
        router: appRouter,
        maxBatchSize,
        createContext: ({ req }) => ({ services, caller: callerOf(req), etagOf, once: onceWith(idempotency) }),
        onError: ({ error, req }) => {
          if (error.code === 'INTERNAL_SERVER_ERROR') req.log.error({ err: error.cause ?? error }, 'call failed')
        },
      },
    } satisfies FastifyTRPCPluginOptions<typeof appRouter>)
  })
}

/** A key that was used with another input has a status that no code of a service has. */
function onceWith(idempotency: Idempotency): RpcContext['once'] {
  return (request, run) =>
    idempotency.once(request, run).catch((error: unknown) => {
      if (!(error instanceof HttpError)) throw error
      throw new TRPCError({ code: 'UNPROCESSABLE_CONTENT', message: error.message })
    })
}

/**
 * Returns the number of calls in a batch: their names are in the path, separated by commas, which tRPC decodes once more than
 * Fastify. A larger batch than is allowed counts as the largest one, because no call of it is run.
 */
function callsOf({ params }: FastifyRequest): number {
  const { path = '' } = params as { readonly path?: string }
  return Math.min(path.split(/,|%2c/i).length, maxBatchSize)
}

/** What was refused before the router saw it, in the shape that its client reads. */
function rpcAnswerTo(error: unknown, request: FastifyRequest) {
  const { status, headers } = answerTo(error, 'error', request.id)
  const isForeseen = error instanceof RoostError || (error instanceof Error && status < 500)
  const code = trpcCodes[error instanceof RoostError ? error.code : isForeseen ? 'invalid' : 'internal']
  const message = isForeseen ? error.message : 'Internal error'
  const path = request.url.split('?', 1)[0]?.slice(rpcPrefix.length + 1)
  if (!isForeseen) request.log.error({ err: error }, 'call failed')
  return {
    status,
    headers,
    body: { error: { message, code: TRPC_ERROR_CODES_BY_KEY[code], data: { code, httpStatus: status, path } } },
  }
}
