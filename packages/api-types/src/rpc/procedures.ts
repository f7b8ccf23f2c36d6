import { initTRPC, TRPCError } from '@trpc/server'
import type { TRPC_ERROR_CODE_KEY } from '@trpc/server'
import { z } from 'zod'
import { fieldError, maxId, readOnlyOperator, RoostError } from '../rest/index.js'
import type { ErrorCode, ResourceRules } from '../rest/index.js'
import { boundedText } from '../values/text.js'
import type { JobService, Services } from './services.js'
import type { Caller, Repeatable } from './verbs.js'

export interface RpcContext {
  readonly services: Services
  readonly caller: Caller
  /** The ETag of a record, as REST answers it. */
  readonly etagOf: (record: object, rules: ResourceRules) => string
  /** Runs a write once for each key, as REST does for each Idempotency-Key. */
  readonly once: <T extends object>(request: Repeatable, run: (caller: Caller) => Promise<T>) => Promise<T>
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

/** Keeps an idle stream open: proxies and clients close connections without traffic. */
const pingMs = 10_000

const t = initTRPC.context<RpcContext>().create({
  isDev: false, // answers would contain stack traces
  sse: { ping: { enabled: true, intervalMs: pingMs }, client: { reconnectAfterInactivityMs: 3 * pingMs } },
  errorFormatter: ({ shape, error: { cause } }) => {
    const fields = cause instanceof RoostError ? cause.fields : undefined
    return { ...shape, data: { ...shape.data, fields } }
  },
})

export const router = t.router

/** Maps the errors of services. Unexpected errors are not shown to the caller. */
const mapErrors = t.middleware(async ({ next }) => {
  const result = await next()
  if (result.ok) return result
  const cause = result.error.cause instanceof z.ZodError ? faultOf(result.error.cause) : result.error.cause
  if (cause instanceof RoostError) throw new TRPCError({ code: trpcCodes[cause.code], message: cause.message, cause })
  if (result.error.code === 'INTERNAL_SERVER_ERROR')
    throw new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message: 'Internal error', cause: result.error })
  return result
})

/** Returns the error of an input that its schema refused. The fields of a change are one level down. */
function faultOf({ issues }: z.ZodError): RoostError {
  const fields: Record<string, string[]> = {}
  for (const { path, message } of issues) {
    const [field = '__all__', element, ...rest] = path.filter((part) => part !== 'change')
    const sentence =
      field === 'changes' && rest.length > 0 ? `Element ${String(element)} ${rest.join('.')}: ${message}` : message
    ;(fields[String(field)] ??= []).push(sentence)
  }
  return fieldError(fields)
}

export const read = t.procedure.use(mapErrors)
const Check = z.object({ validate_only: z.boolean().optional() })
/**
 * Of the input of every write, as `?validate=1` of REST: the write is only checked, and gets the answer that it would get.
 * Nothing of it stays in the input, which goes to a service as it is.
 */
export const CheckInput = Check.transform(() => ({}))

/** Only for operators who may write. */
export const writeWithoutInput = read
  .use(async ({ ctx, next }) => {
    if (ctx.caller.role !== 'admin') throw new TRPCError({ code: 'FORBIDDEN', message: readOnlyOperator })
    return next()
  })
  .use(async ({ ctx, getRawInput, next }) => {
    const { data } = Check.safeParse(await getRawInput())
    if (data?.validate_only !== true) return next()
    return next({ ctx: { ...ctx, caller: { ...ctx.caller, validateOnly: true as const } } })
  })
/** The same, with the input that every write has. */
export const write = writeWithoutInput.input(CheckInput)

export const Id = z.object({ id: z.int().min(1).max(maxId) })

/** The id of a record, as a number or as the text that some records carry. */
export const RecordId = z.object({
  id: z.union([
    Id.shape.id,
    z
      .string()
      .regex(/^\d{1,10}$/)
      .transform(Number)
      .pipe(Id.shape.id),
  ]),
})

/** Several records, as `set/` of REST has them. */
export const RecordIds = z.object({ ids: z.array(RecordId.shape.id).max(1000) })

/** A condition of a write: the ETag of the record that the caller saw. Another one now is PRECONDITION_FAILED. */
export const Condition = z.object({ if_match: boundedText(1000).optional() })

export function conditionOf({ if_match }: z.infer<typeof Condition>): { readonly ifMatch?: string } {
  return if_match === undefined ? {} : { ifMatch: if_match }
}

/** The key of a write that runs once: the same input again gets the first answer for 24 hours, as with an Idempotency-Key. */
export const OnceInput = z.object({ idempotency_key: boundedText(255).optional() })

interface Call {
  readonly ctx: RpcContext
  readonly path: string
  readonly input: z.infer<typeof OnceInput>
}

/** Runs a write once for each key and procedure. `secrets`: fields of the answer that are only in the input. */
export function once<I extends object, T extends object>(
  { ctx, path, input }: Call & { readonly input: I },
  run: (input: Omit<I, keyof z.infer<typeof OnceInput>>, caller: Caller) => Promise<T>,
  secrets: readonly string[] = [],
): Promise<T> {
  const { idempotency_key: key, ...body } = input
  return ctx.once({ caller: ctx.caller, path, key, body, secrets }, (caller) => run(body, caller))
}

/** The answer to a list, where the services' records carry more than the caller may see. */
export function pageOf<R extends z.ZodType>(record: R) {
  return z.object({ objects: z.array(record).readonly(), total: z.int() })
}

/** Of a caller that cannot go away, such as one in the same process. */
export const never: AbortSignal = new AbortController().signal

/** The procedures that only deployments have. */
export function jobProcedures(jobs: (services: Services) => JobService) {
  return {
    /** Streams: the job, and again when it has changed, until it has ended. */
    watch: read
      .input(RecordId)
      .subscription(({ ctx, input, signal }) => jobs(ctx.services).watch(input.id, signal ?? never)),
    cancel: write
      .input(RecordId.extend(OnceInput.shape))
      .mutation((call) => once(call, ({ id }, caller) => jobs(call.ctx.services).cancel(id, caller))),
    /** Of a job with `confirm_within_s`: its nodes keep what they have applied. */
    confirm: write
      .input(RecordId.extend(OnceInput.shape))
      .mutation((call) => once(call, ({ id }, caller) => jobs(call.ctx.services).confirm(id, caller))),
  }
}
