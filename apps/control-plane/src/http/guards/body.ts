import { RoostError } from '@roost/api-types/rest'
import type { FastifyInstance } from 'fastify'
import { messages } from '../../services/messages.js'
import { HttpError } from './http-error.js'
import { decodeBody, parseJson } from './json.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its body is of this media type instead of JSON; a parser of its scope reads it, also if it is compressed. */
    readonly mediaType?: string
  }
}

/** One parser for every body: JSON, or nothing. No Content-Type counts as JSON; an empty body as none at all. */
export function parseBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, bytes: Buffer) =>
    bytes.length === 0 ? undefined : parseJson(decodeBody(bytes)),
  )
}

/** Refuses another media type before the body is read. Runs after the look-up: an unknown id is 404 whatever the body. */
export function requireJson(app: FastifyInstance): void {
  app.addHook('preParsing', async (request) => {
    const type = request.headers['content-type']
    const { mediaType } = request.routeOptions.config
    if (mediaType !== undefined) {
      if (type === mediaType) return
      throw new HttpError(415, `The request body must be ${mediaType}.`)
    }
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
    if (!['', 'identity'].includes(request.headers['content-encoding'] ?? ''))
      throw new HttpError(415, 'The request body must not be compressed.')
    const empty = encoding === undefined && (length === undefined || length === '0')
    if (empty || type === undefined || /^\s*application\/json\s*(?:;|$)/i.test(type)) return
    throw new HttpError(415, messages.notJson)
  })
}

/** The body as an object; `{}` is one, nothing is none. */
export function objectBody(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new RoostError('invalid', 'The request body must be a JSON object.')
  return body as Readonly<Record<string, unknown>>
}
