import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'
import { serializerCompiler } from 'fastify-type-provider-zod'
import { capacityRoutes } from './capacity/routes.js'
import type { Context } from './context.js'
import { mountRoute } from './http/route.js'
import { metricRoutes } from './metrics/routes.js'
import { requireOperator } from './http/authentication.js'
import { parseBodies, requireJson } from './http/body.js'
import { answerErrors } from './http/error-handler.js'
import { mountHealth } from './http/health.js'
import { mountIndex } from './http/index-routes.js'
import { rememberMethods } from './http/method-table.js'
import { mountResource } from './http/mount-resource.js'
import { createServer } from './http/server.js'
import { resources } from './resources.js'

export interface AppOptions {
  readonly context: Context
  /** Null: plain HTTP. `cert` holds the chain. */
  readonly tls: { readonly key: string; readonly cert: string } | null
}

/** The HTTP face of a context: every route, not yet listening. */
export async function buildApp({ context, tls }: AppOptions): Promise<FastifyInstance> {
  const { surroundings, services, operators, database } = context
  const app = createServer({ log: surroundings.log, tls, behindProxy: surroundings.config.behindProxy })
  const methods = rememberMethods(app)
  answerErrors(app, { methods })
  // Schemas describe and serialise; what comes in is read by the dialect, whose errors name the fields.
  app.setValidatorCompiler(() => (value: unknown) => ({ value }))
  app.setSerializerCompiler(serializerCompiler)
  await app.register(helmet, { global: true })
  requireOperator(app, { authenticator: operators, now: () => performance.now(), admitted: () => {} })
  parseBodies(app)
  requireJson(app)
  const declared = resources(services)
  mountHealth(app, () => database.prisma.$queryRaw`select 1`)
  mountIndex(app, declared)
  const dialect = { origins: () => [surroundings.publicUrl()] }
  for (const resource of declared) mountResource(app, resource, dialect)
  for (const route of [...capacityRoutes(services.capacity), ...metricRoutes(context.metrics.reads)])
    mountRoute(app, route)
  return app
}
