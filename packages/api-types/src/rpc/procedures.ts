import { initTRPC, TRPCError } from '@trpc/server'
import type { TRPC_ERROR_CODE_KEY } from '@trpc/server'
import { z } from 'zod'
import { maxId, RoostError } from '../rest/index.js'
import type { ErrorCode, FieldErrors } from '../rest/index.js'
import type { Services } from './services.js'
import type { Caller } from './verbs.js'

export interface RpcContext {
  readonly services: Services
  readonly caller: Caller
}

/** How each code is answered over tRPC. */
export const trpcCodes: Readonly<Record<ErrorCode, TRPC_ERROR_CODE_KEY>> = {
  invalid: 'BAD_REQUEST',
  unauthenticated: 'UNAUTHORIZED',
  forbidden: 'FORBIDDEN',
  not_found: 'NOT_FOUND',
  conflict: 'CONFLICT',
  stale: 'PRECONDITION_FAILED',
  too_large: 'PAYLOAD_TOO_LARGE',
  too_many: 'TOO_MANY_REQUESTS',
  unavailable: 'SERVICE_UNAVAILABLE',
  internal: 'INTERNAL_SERVER_ERROR',
}

/** Keeps a stream on which nothing happens from looking dead to what stands in between, and to the client. */
const pingMs = 10_000

const t = initTRPC.context<RpcContext>().create({
  isDev: false, // stack traces would stand in answers
  sse: { ping: { enabled: true, intervalMs: pingMs }, client: { reconnectAfterInactivityMs: 3 * pingMs } },
  errorFormatter: ({ shape, error: { cause } }) => {
    const fields = fieldsOf(cause)
    const message = cause instanceof z.ZodError ? sentenceOf(fields ?? {}) : shape.message
    return { ...shape, message, data: { ...shape.data, fields } }
  },
})

/** The faulty fields of an input, as REST answers them; undefined where it is not about fields. */
function fieldsOf(cause: unknown): FieldErrors | undefined {
  if (cause instanceof RoostError) return cause.fields
  if (!(cause instanceof z.ZodError)) return undefined
  const fields: Record<string, string[]> = {}
  for (const { path, message } of cause.issues) (fields[path.join('.') || '__all__'] ??= []).push(message)
  return fields
}

function sentenceOf(fields: FieldErrors): string {
  return Object.entries(fields)
    .map(([field, sentences]) => `${field}: ${sentences.join(' ')}`)
    .join(' ')
}

export const router = t.router

/** Maps what services throw; whatever is not a RoostError says nothing about our insides. */
const mapErrors = t.middleware(async ({ next }) => {
  const result = await next()
  if (result.ok) return result
  const cause = result.error.cause instanceof z.ZodError ? faultOf(result.error.cause) : result.error.cause
  if (cause instanceof RoostError) throw new TRPCError({ code: trpcCodes[cause.code], message: cause.message, cause })
  if (result.error.code === 'INTERNAL_SERVER_ERROR')
    throw new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message: 'Internal error', cause: result.error })
  return result
})

/** What an input's own schema refused. Those of a change lie one level down. */
function faultOf({ issues }: z.ZodError): RoostError {
  const fields: Record<string, string[]> = {}
  for (const { path, message } of issues) {
    const field = String(path.find((part) => part !== 'change') ?? '__all__')
    ;(fields[field] ??= []).push(message)
  }
  const sentences = Object.entries(fields).map(([field, messages]) => `${field}: ${messages.join(' ')}`)
  return new RoostError('invalid', sentences.join(' '), { fields })
}

export const read = t.procedure.use(mapErrors)
/** Only for operators who may write. */
export const write = read.use(async ({ ctx, next }) => {
  if (ctx.caller.role !== 'admin') throw new TRPCError({ code: 'FORBIDDEN', message: 'This operator may only read.' })
  return next()
})

export const Id = z.object({ id: z.int().min(1).max(maxId) })

/** Of records that carry their id as text; both forms of it lead to them. */
export const TextId = z.object({
  id: z.union([
    Id.shape.id,
    z
      .string()
      .regex(/^\d{1,10}$/)
      .transform(Number)
      .pipe(Id.shape.id),
  ]),
})

/** A list as the typed client asks for it: field to value, or to values of which one must hold. */
export const ListInput = z
  .object({
    filters: z.record(
      z.string(),
      z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number(), z.boolean()]))]),
    ),
    order_by: z.array(z.string()),
    limit: z.int().min(0).max(1000),
    offset: z.int().min(0),
  })
  .partial()
  .default({})

export function listQuery(input: z.infer<typeof ListInput>) {
  return {
    filters: Object.entries(input.filters ?? {}).map(([field, value]) =>
      Array.isArray(value)
        ? { field, op: 'in' as const, values: value }
        : { field, op: 'exact' as const, values: [value] },
    ),
    order: (input.order_by ?? []).map((field) =>
      field.startsWith('-') ? { field: field.slice(1), descending: true } : { field, descending: false },
    ),
    limit: input.limit === 0 ? 1000 : (input.limit ?? 20),
    offset: input.offset ?? 0,
  }
}

/** The answer to a list, where the services' records carry more than the caller may see. */
export function pageOf<R extends z.ZodType>(record: R) {
  return z.object({ objects: z.array(record).readonly(), total: z.int() })
}
