import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { describeRefusals } from './dialect/answers.js'
import type { Status } from './dialect/answers.js'
import type { Database } from '../database/database.js'
import { messages } from '../services/messages.js'

const open = { public: true } as const
const Health = z.object({ status: z.literal('ok') }).meta({ id: 'Health', examples: [{ status: 'ok' }] })
const degraded = { status: 'degraded', reason: messages.databaseDiskFull } as const
/** `degraded`: requests that read are answered, and those that write are refused. */
const Readiness = z
  .union([Health, z.object({ status: z.literal('degraded'), reason: z.string() })])
  .meta({ id: 'Readiness', examples: [{ status: 'ok' }, degraded] })

function route<S extends z.ZodType>(answer: S, summary: string, refusals: readonly Status[]) {
  const response = { 200: answer, ...describeRefusals(refusals) }
  return { config: open, schema: { tags: ['health'], summary, response } }
}

/** `/healthz`: the process answers. `/readyz`: its database answers too, else the query throws `unavailable`. */
export function mountHealth(app: FastifyInstance, { prisma, disk }: Pick<Database, 'prisma' | 'disk'>): void {
  app.get('/healthz', route(Health, 'The process answers', [500]), async () => ({ status: 'ok' }))
  app.get('/readyz', route(Readiness, 'The process and its database answer', [500, 503]), async () => {
    await prisma.$queryRaw`select 1`
    return disk.isFull ? degraded : { status: 'ok' }
  })
}
