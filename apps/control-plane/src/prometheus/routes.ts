import { RoostError } from '@roost/api-types/rest'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { logged } from '../services/errors.js'
import { describeRefusals } from '../http/dialect/answers.js'
import { withTimeout } from '@roost/runtime'
import type { ProcessMetrics } from './own-metrics.js'
import type { RemoteRead } from './remote/read-route.js'

export interface PrometheusMetrics {
  readonly own: ProcessMetrics
  /** Returns the metrics that need the database. */
  readonly fleet: () => Promise<string>
  /** What Prometheus reads history with. */
  readonly remoteRead: RemoteRead
}

const longestScrapeSeconds = 120
/** What the answer may need to reach Prometheus in time, where its time is not shorter still. */
const reserveMs = 500

const schema = {
  tags: ['health'],
  summary: 'Metrics for Prometheus',
  response: {
    200: {
      description: 'The metrics in the text format of Prometheus',
      content: { 'text/plain': { schema: z.string() } },
    },
    ...describeRefusals([401, 403, 429, 500, 503]),
  },
}

/** `/metrics` in Prometheus' text format. Without the database the process still tells of itself. */
export function mountPrometheus(app: FastifyInstance, { own, fleet }: Omit<PrometheusMetrics, 'remoteRead'>): void {
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none'
    own.observeRequest(request.method, route, reply.statusCode, reply.elapsedTime / 1000)
  })
  app.get('/metrics', { schema, config: { whileAway: true } }, async (request, reply) => {
    const text = await withTimeout(fleet(), timeLeftMs(request) - reply.elapsedTime, silent).catch((error: unknown) => {
      request.log.warn(logged(error), 'could not read the metrics of the fleet')
      return undefined
    })
    const up = `# HELP roost_database_up Whether the database answered\n# TYPE roost_database_up gauge\nroost_database_up ${text === undefined ? 0 : 1}\n`
    return reply.type(own.registry.contentType).send(`${await own.registry.metrics()}${up}${text ?? ''}`)
  })
}

function silent(): never {
  throw new RoostError('unavailable', 'The database did not answer within the time of the scrape.')
}

/** Prometheus says for how long it waits, and gets what there is just before. */
function timeLeftMs({ headers }: FastifyRequest): number {
  const seconds = Number(headers['x-prometheus-scrape-timeout-seconds'])
  if (!(seconds > 0)) return longestScrapeSeconds * 1000
  const ms = Math.min(seconds, longestScrapeSeconds) * 1000
  return ms - Math.min(reserveMs, ms / 2)
}
