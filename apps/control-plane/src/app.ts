import Fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import type { Context } from './context.js'

export interface AppOptions {
  readonly context: Context
  /** Null: plain HTTP. `cert` holds the chain. */
  readonly tls: { readonly key: string; readonly cert: string } | null
}

export async function buildApp({ context, tls }: AppOptions): Promise<FastifyInstance> {
  const base = { loggerInstance: context.surroundings.log, disableRequestLogging: true, forceCloseConnections: true }
  const app = (tls ? Fastify({ ...base, https: tls }) : Fastify(base)) as unknown as FastifyInstance
  app.get('/healthz', () => ({ ok: true }))
  return app
}
