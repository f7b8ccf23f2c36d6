import { CurrentSession } from '@roost/api-types/rest'
import type { SessionService } from '@roost/api-types/rpc'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { describeRefusals } from '../http/dialect/answers.js'
import { callerOf } from '../http/guards/authentication.js'
import { clearSessionCookie, setSessionCookie } from '../http/guards/session-cookie.js'
import { clientName } from './client-name.js'
import { sessionMs } from './sessions.js'

const path = '/session'
const tags = ['sessions']
const maybe = { optionalCaller: true } as const
const Maybe = CurrentSession.nullable().meta({
  description: 'The session of the cookie; null without one',
  examples: [null],
})

/** `/session` logs a browser in and out. The page never sees the secret of its session: scripts cannot read the cookie. */
export function mountSession(app: FastifyInstance, sessions: SessionService): void {
  const read = { tags, summary: 'Who is logged in with the cookie', response: answers(200, Maybe) }
  app.get(path, { config: maybe, schema: read }, async ({ caller }) =>
    caller === null ? null : sessions.current(caller),
  )
  const logIn = {
    tags,
    summary: 'Log a browser in: a key in Authorization opens a session, whose secret is the cookie of the answer',
    response: answers(200, CurrentSession, [409]),
  }
  const open = { ownRoles: true, secretAnswer: true } as const
  app.post(path, { config: open, schema: logIn }, async (request, reply) => {
    const { session, credentials } = await sessions.open(clientName(request.headers['user-agent']), callerOf(request))
    setSessionCookie(reply, credentials, sessionMs / 1000)
    return session
  })
  const logOut = {
    tags,
    summary: 'Log this browser out: its session ends',
    response: answers(204, z.null().describe('The session of the cookie has ended')),
  }
  app.delete(path, { config: { ...maybe, ownRoles: true }, schema: logOut }, async ({ caller }, reply) => {
    if (caller !== null) await sessions.close(caller)
    clearSessionCookie(reply)
    return reply.header('clear-site-data', '"cache", "storage"').code(204).send()
  })
}

function answers(status: number, answer: z.ZodType, refusals: readonly 409[] = []) {
  return { [status]: answer, ...describeRefusals([401, 403, 429, 500, 503, ...refusals]) }
}
