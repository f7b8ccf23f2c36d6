import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RoostError } from '@roost/api-types/rest'
import { z } from 'zod'
import type { MethodTable } from '../dialect/method-table.js'
import { describeRefusals } from '../dialect/answers.js'
import { operationId } from '../dialect/route.js'

const schema = {
  tags: ['index'],
  summary: 'The page of the console, or with `url` a redirect to the documentation of a path',
  querystring: z.object({ url: z.string().describe('A path of this server, such as /api/v1/nodes/') }).partial(),
  response: {
    200: { description: 'The page', content: { 'text/html': { schema: z.string() } } },
    302: z.null().describe('Redirect to the documentation of the path'),
    ...describeRefusals([400, 500]),
  },
}

export interface LandingOptions {
  readonly methods: MethodTable
  readonly sendPage: (request: FastifyRequest, reply: FastifyReply) => FastifyReply
}

/** `/`: the console. With `?url=/api/v1/…` it opens that path in the documentation. */
export function mountLanding(app: FastifyInstance, { methods, sendPage }: LandingOptions): void {
  app.get<{ Querystring: { url?: string | string[] } }>(
    '/',
    { config: { public: true }, schema },
    async (request, reply) => {
      const url = [request.query.url ?? []].flat().at(-1)
      if (url === undefined) return sendPage(request, reply)
      return reply.redirect(documentationOf(url, methods))
    },
  )
}

/** The place of a path in the documentation. It is made of our own routes alone: nothing of `url` is in it. */
function documentationOf(url: string, methods: MethodTable): string {
  // A browser reads a backslash as a slash, and drops tabs and line breaks.
  if (!/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(url))
    throw new RoostError('invalid', "The parameter 'url' must be a path of this server, such as /api/v1/nodes/.")
  const pattern = methods.patternOf(url.split(/[?#]/, 1)[0] ?? '/')
  const path = pattern?.match(/^\/api\/v1\/((\w+)\/.*)$/)
  if (path?.[1] === undefined) return '/docs/'
  return `/docs/#/${path[2]}/${operationId('GET', path[1])}`
}
