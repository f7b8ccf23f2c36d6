import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { describeRefusals } from './dialect/answers.js'
import type { Status } from './dialect/answers.js'

const open = { public: true } as const
const Health = z.object({ status: z.literal('ok') }).meta({ id: 'Health', examples: [{ status: 'ok' }] })

function route(summary: string, refusals: readonly Status[]) {
  const response = { 200: Health, ...describeRefusals(refusals) }
  return { config: open, schema: { tags: ['health'], summary, response } }
}

/** `/healthz`: the process answers. `/readyz`: what it needs answers too, else `ready` throws `unavailable`. */
export function mountHealth(app: FastifyInstance, ready: () => Promise<unknown>): void {
  app.get('/healthz', route('The process answers', [500]), async () => ({ status: 'ok' }))
  app.get('/readyz', route('The process and its database answer', [500, 503]), async () => {
    await ready()
    return { status: 'ok' }
  })
}
