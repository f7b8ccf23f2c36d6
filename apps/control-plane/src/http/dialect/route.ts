import { maxId, RoostError } from '@roost/api-types/rest'
import type { Caller } from '@roost/api-types/rpc'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { z } from 'zod'
import { messages } from '../../services/messages.js'
import { callerOf } from '../guards/authentication.js'
import { describeRefusals } from './answers.js'
import type { Status } from './answers.js'

export interface RouteRequest {
  /** The id in the path; 0 when the path has none. */
  readonly id: number
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The query string as it came. */
  readonly rawQuery: string
  readonly headers: FastifyRequest['headers']
  readonly body: unknown
  /** How the caller reached this server, such as `https://roost.example:8443`. */
  readonly origin: string
  readonly caller: Caller
}

/** One path with one method and its documentation. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `/api/v1/`, with its trailing slash: `clusters/:id/capacity/list/`. */
  readonly path: string
  /** The resource that it belongs to, in field errors and in the documentation. */
  readonly resource: string
  readonly summary: string
  /** What the path's parameters other than `id` are. */
  readonly params?: Readonly<Record<string, string>>
  /** For the documentation; the handler reads the query itself. */
  readonly query?: Readonly<Record<string, z.ZodType>>
  /** Names of the parameters in `query` without which the request is refused, for the documentation. */
  readonly requiredQuery?: readonly string[]
  /** The request headers that it reads, for the documentation. */
  readonly headers?: Readonly<Record<string, z.ZodType>>
  /** For the documentation; the handler parses the body itself. */
  readonly body?: z.ZodType
  readonly status: 200 | 201 | 202 | 204
  readonly answer: z.ZodType
  /** Of the answer, for the documentation, where its schema brings none. */
  readonly example?: unknown
  /** The answer has an `ETag`, for the documentation. */
  readonly etag?: true
  /** It answers the same as CSV where the query says so. */
  readonly csv?: boolean
  /** It answers 304 where the ETag of If-None-Match still matches. */
  readonly isConditional?: boolean
  /** Its answer may contain a secret. */
  readonly secretAnswer?: boolean
  /** Further statuses that it refuses with, for the documentation. */
  readonly refusals?: readonly Status[]
  /** Throws `not_found` for an unknown id; called before a body is read. */
  requireRecord?(this: void, id: number, caller: Caller): Promise<unknown>
  handle(request: RouteRequest, reply: FastifyReply): Promise<unknown>
}

/** The query parameter of every write that only checks it, for the documentation. */
const validateParameter = {
  validate: z
    .enum(['1', '0'])
    .describe(
      'With 1 the write is only checked: it gets the answer that the write would get, but nothing is changed, and the id of a new record is not used.',
    ),
}

const values: Readonly<Record<string, boolean>> = {
  1: true,
  true: true,
  True: true,
  0: false,
  false: false,
  False: false,
}

/** Returns true if the caller only wants a check. Throws `invalid` for another value: a write by mistake cannot be undone. */
function validateOnly(query: URLSearchParams): boolean {
  const value = query.getAll('validate').at(-1) ?? '0'
  const wanted = Object.hasOwn(values, value) ? values[value] : undefined
  if (wanted === undefined)
    throw new RoostError('invalid', `Invalid validate '${value.slice(0, 64)}' provided. Please provide 1 or 0.`)
  return wanted
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

export function mountRoute(app: FastifyInstance, route: Route): void {
  const { method, path, resource, requireRecord, csv = false, example, etag = false, secretAnswer = false } = route
  app.route<{ Params: Record<string, string> }>({
    method,
    url: `/api/v1/${path}`,
    config: { resource, csv, example, etag, secretAnswer },
    schema: schemaOf(route),
    // A hook, so that an unknown id is reported before a wrong body.
    ...(requireRecord === undefined
      ? {}
      : { onRequest: async (request) => void (await requireRecord(idOf(request.params), callerOf(request))) }),
    handler: async (request, reply) => {
      reply.code(route.status)
      return route.handle(requestOf(request), reply)
    },
  })
}

function requestOf(request: FastifyRequest<{ Params: Record<string, string> }>): RouteRequest {
  const rawQuery = request.url.split('?').slice(1).join('?')
  const query = new URLSearchParams(rawQuery)
  const isCheck = !isRead(request.method) && validateOnly(query)
  return {
    id: request.params['id'] === undefined ? 0 : idOf(request.params),
    params: request.params,
    query,
    rawQuery,
    headers: request.headers,
    body: request.body,
    origin: `${request.protocol}://${request.host}`,
    caller: isCheck ? { ...callerOf(request), validateOnly: true } : callerOf(request),
  }
}

/** Reads the id; one that no column can contain is `not_found`. */
function idOf(params: Readonly<Record<string, string>>): number {
  const text = params['id'] ?? ''
  const id = /^\d{1,10}$/.test(text) ? Number(text) : 0
  if (id < 1 || id > maxId) throw new RoostError('not_found', messages.recordNotFound)
  return id
}

const always = [400, 401, 403, 404, 429, 500, 503] as const
const ofWrites = [409, 413, 415] as const
const refusalsOf: Readonly<Record<Route['method'], readonly Status[]>> = {
  GET: always,
  POST: [...always, ...ofWrites, 422],
  PATCH: [...always, ...ofWrites, 412],
  DELETE: [...always, ...ofWrites, 412],
}

function schemaOf(route: Route): FastifySchema {
  const {
    method,
    path,
    resource,
    summary,
    params = {},
    body,
    status,
    answer,
    refusals = [],
    isConditional = false,
  } = route
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const described = names.map((name) => [name, paramOf(params[name])] as const)
  return {
    tags: [resource],
    summary,
    operationId: operationId(method, path),
    ...(names.length === 0 ? {} : { params: z.object(Object.fromEntries(described)) }),
    ...querySchema(route),
    ...(route.headers === undefined ? {} : { headers: z.object(route.headers).partial() }),
    ...(body === undefined ? {} : { body }),
    response: {
      [status]: answer,
      ...(isConditional ? { 304: z.null() } : {}),
      ...describeRefusals([...refusalsOf[method], ...refusals]),
    },
  }
}

function querySchema({ method, query, requiredQuery = [] }: Route): { readonly querystring?: z.ZodType } {
  if (query === undefined && isRead(method)) return {}
  const fields = Object.entries({ ...query, ...(isRead(method) ? {} : validateParameter) }).map(([name, schema]) => [
    name,
    requiredQuery.includes(name) ? schema : schema.optional(),
  ])
  return { querystring: z.object(Object.fromEntries(fields)) }
}

function paramOf(description: string | undefined): z.ZodType {
  return description === undefined ? z.int().min(1).max(maxId) : z.string().describe(description)
}

/** Returns a unique id made of path and method: `get_nodes_id_metrics_poll`. */
export function operationId(method: string, path: string): string {
  return [method.toLowerCase(), ...path.replaceAll(':', '').split('/').filter(Boolean)].join('_')
}
