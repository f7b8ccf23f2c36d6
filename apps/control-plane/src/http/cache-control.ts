import type { FastifyInstance } from 'fastify'

/** What was read may be kept, but must be asked for again before it is used. */
export function forbidStaleReads(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (isRead && reply.statusCode < 300 && !reply.hasHeader('cache-control')) reply.header('cache-control', 'no-cache')
  })
}
