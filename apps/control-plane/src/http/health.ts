import type { FastifyInstance } from 'fastify'
import { z } from 'zod'

const open = { public: true } as const
const Health = z.object({ status: z.literal('ok') }).meta({ id: 'Health' })

function route(summary: string) {
  return { config: open, schema: { tags: ['health'], summary, response: { 200: Health } } }
}

/** `/healthz`: the process answers. `/readyz`: what it needs answers too, else `ready` throws `unavailable`. */
export function mountHealth(app: FastifyInstance, ready: () => Promise<unknown>): void {
  app.get('/healthz', route('The process answers'), async () => ({ status: 'ok' }))
  app.get('/readyz', route('The process and its database answer'), async () => {
    await ready()
    return { status: 'ok' }
  })
}
