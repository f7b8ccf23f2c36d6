import type { FastifyInstance } from 'fastify'

/** Answers to reads may be cached, but must be revalidated before use. */
export function forbidStaleReads(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (isRead && reply.statusCode < 300 && !reply.hasHeader('cache-control')) reply.header('cache-control', 'no-cache')
  })
}
