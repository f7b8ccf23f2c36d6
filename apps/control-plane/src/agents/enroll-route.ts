import { EnrollRequest } from '@roost/api-types/agent'
import type { EnrollConflict, EnrollResponse } from '@roost/api-types/agent'
import { RoostError } from '@roost/api-types/rest'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { safeParse } from 'zod/mini'
import type { Clock } from '@roost/runtime'
import { createFailureLimit } from '../services/failure-limit.js'
import type { EnrollOutcome, Enrollments, KnownNode } from './fleet.js'

const enrollPath = '/agent/v1/enroll'
const failuresPerMinute = 10

/** Documented for agents in docs/protocol.md; not part of the public API. */
const hidden: FastifySchema & { readonly hide: true } = { hide: true }

export interface EnrollRouteOptions {
  readonly enrollments: Enrollments
  readonly trustedCas: () => readonly string[]
  readonly clock: Clock
}

/** Registers the route of enrollment. Every request without a valid token gets the same answer. */
export function registerEnrollment(app: FastifyInstance, { enrollments, trustedCas, clock }: EnrollRouteOptions): void {
  const limit = createFailureLimit(failuresPerMinute, () => clock.monotonic())

  async function enroll(body: unknown, address: string): Promise<EnrollOutcome> {
    const wait = limit.retryAfterSeconds(address)
    if (wait !== undefined)
      throw new RoostError('too_many', 'Too many failed enrollments from this address. Retry later.', {
        retryAfterSeconds: wait,
      })
    try {
      return await enrollments.enroll(parse(body), address)
    } catch (error) {
      if (error instanceof RoostError && error.code === 'unauthenticated') limit.fail(address)
      throw error
    }
  }

  app.route({
    method: 'POST',
    url: enrollPath,
    bodyLimit: 65_536,
    config: { public: true, secretAnswer: true },
    schema: hidden,
    handler: async ({ body, ip }, reply): Promise<EnrollResponse | EnrollConflict> => {
      const outcome = await limit.inOrder(ip, () => enroll(body, ip))
      if (outcome.kind === 'enrolled') return { ...outcome.node, ca: [...trustedCas()] }
      reply.code(409)
      return { error: offer(outcome.node), known_node: outcome.node }
    },
  })
}

function parse(body: unknown): EnrollRequest {
  const parsed = safeParse(EnrollRequest, body)
  if (!parsed.success) {
    const fields = parsed.error.issues.map((issue) => issue.path.join('.') || 'body')
    throw new RoostError('invalid', `Invalid or missing fields in the enrollment: ${fields.join(', ')}.`)
  }
  if (unstorable.test(JSON.stringify(parsed.data)))
    throw new RoostError('invalid', 'The enrollment contains NUL, or half a character.')
  return parsed.data
}

/** The escapes of NUL and of half a character in JSON, which the database refuses. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/

function offer({ hostname, last_seen }: KnownNode): string {
  const seen = last_seen === null ? 'which has never connected' : `last seen ${last_seen}`
  return `This machine has the hardware of the node ${hostname}, ${seen}. Enroll again with --take-place to continue as that node, or with --new-node to add another node.`
}
