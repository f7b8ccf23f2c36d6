import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { describeRefusals } from '../http/refusals.js'
import type { OwnFigures } from './own-figures.js'

export interface PrometheusFigures {
  readonly own: OwnFigures
  /** Figures that need the database. */
  readonly fleet: () => Promise<string>
}

const schema = {
  tags: ['health'],
  summary: 'Figures for Prometheus',
  response: {
    200: { description: 'The text format', content: { 'text/plain': { schema: z.string() } } },
    ...describeRefusals([401, 429, 500, 503]),
  },
}

/** `/metrics` in Prometheus' text format. Without the database the process still tells of itself. */
export function mountPrometheus(app: FastifyInstance, { own, fleet }: PrometheusFigures): void {
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none'
    own.observeRequest(request.method, route, reply.statusCode, reply.elapsedTime / 1000)
  })
  app.get('/metrics', { schema }, async (request, reply) => {
    const text = await fleet().catch((error: unknown) => {
      request.log.warn({ err: error }, 'the figures of the fleet could not be read')
      return undefined
    })
    const up = `# HELP roost_database_up Whether the database answered\n# TYPE roost_database_up gauge\nroost_database_up ${text === undefined ? 0 : 1}\n`
    return reply.type(own.registry.contentType).send(`${await own.registry.metrics()}${up}${text ?? ''}`)
  })
}
