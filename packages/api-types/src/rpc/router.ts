import { initTRPC, TRPCError } from '@trpc/server'
import type { TRPC_ERROR_CODE_KEY } from '@trpc/server'
import { z } from 'zod'
import { ClusterInput, maxId, NodeChange, RoostError } from '../rest/index.js'
import type { ErrorCode } from '../rest/index.js'
import type { Caller, Services } from './services.js'

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

// isDev would put stack traces into answers.
const t = initTRPC.context<RpcContext>().create({ isDev: false })

/** Maps what services throw; whatever is not a RoostError says nothing about our insides. */
const mapErrors = t.middleware(async ({ next }) => {
  const result = await next()
  if (result.ok) return result
  const { cause } = result.error
  if (cause instanceof RoostError) throw new TRPCError({ code: trpcCodes[cause.code], message: cause.message, cause })
  if (result.error.code === 'INTERNAL_SERVER_ERROR')
    throw new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message: 'Internal error', cause: result.error })
  return result
})

const read = t.procedure.use(mapErrors)
const write = read.use(async ({ ctx, next }) => {
  if (ctx.caller.role !== 'admin') throw new TRPCError({ code: 'FORBIDDEN', message: 'This operator may only read.' })
  return next()
})

const Id = z.object({ id: z.int().min(1).max(maxId) })

/** Metric names, in which `*` stands for any run of characters, of the node or cluster `id`. */
const Poll = Id.extend({ metrics: z.array(z.string()) })

/** A list as the typed client asks for it: field to value, or to values of which one must hold. */
const ListInput = z
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

function listQuery(input: z.infer<typeof ListInput>) {
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

export const appRouter = t.router({
  clusters: t.router({
    list: read.input(ListInput).query(({ ctx, input }) => ctx.services.clusters.list(listQuery(input))),
    get: read.input(Id).query(({ ctx, input }) => ctx.services.clusters.get(input.id)),
    create: write.input(ClusterInput).mutation(({ ctx, input }) => ctx.services.clusters.create(input, ctx.caller)),
    change: write
      .input(Id.extend({ change: ClusterInput }))
      .mutation(({ ctx, input }) => ctx.services.clusters.change(input.id, input.change, ctx.caller)),
    remove: write.input(Id).mutation(({ ctx, input }) => ctx.services.clusters.remove(input.id, ctx.caller)),
    capacity: read.input(Id).query(({ ctx, input }) => ctx.services.capacity.ofCluster(input.id)),
  }),
  nodes: t.router({
    list: read.input(ListInput).query(({ ctx, input }) => ctx.services.nodes.list(listQuery(input))),
    get: read.input(Id).query(({ ctx, input }) => ctx.services.nodes.get(input.id)),
    change: write
      .input(Id.extend({ change: NodeChange }))
      .mutation(({ ctx, input }) => ctx.services.nodes.change(input.id, input.change, ctx.caller)),
    remove: write
      .input(Id.extend({ force: z.boolean().default(false) }))
      .mutation(({ ctx, input }) => ctx.services.nodes.remove(input.id, ctx.caller, { force: input.force })),
  }),
  metrics: t.router({
    namesOfNode: read.input(Id).query(({ ctx, input }) => ctx.services.metrics.namesOfNode(input.id)),
    namesOfCluster: read.input(Id).query(({ ctx, input }) => ctx.services.metrics.namesOfCluster(input.id)),
    pollNode: read.input(Poll).query(({ ctx, input }) => ctx.services.metrics.pollNode(input.id, input.metrics)),
    pollCluster: read.input(Poll).query(({ ctx, input }) => ctx.services.metrics.pollCluster(input.id, input.metrics)),
    /** Streams: the rows come in slices, of every node of the cluster `id`. */
    across: read.input(Poll).query(({ ctx, input }) => ctx.services.metrics.across(input.id, input.metrics)),
  }),
  tokens: t.router({
    create: write
      .input(
        z.object({
          cluster: z.int().min(1).max(maxId),
          ttl_seconds: z.int().min(60).max(604_800).optional(),
          uses: z.int().min(1).max(1000).optional(),
        }),
      )
      .mutation(({ ctx, input }) => ctx.services.tokens.create(input, ctx.caller)),
  }),
})
export type AppRouter = typeof appRouter
