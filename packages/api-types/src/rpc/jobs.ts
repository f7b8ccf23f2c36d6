import { JobInput } from '../rest/index.js'
import { ListInput, listQuery, read, router, TextId, write } from './procedures.js'
import type { JobService, Services } from './services.js'

/** Of a caller that cannot go away, such as one in the same process. */
const never = new AbortController().signal

/** The procedures of one kind of deployment. */
export function jobsRouter(jobs: (services: Services) => JobService) {
  return router({
    list: read.input(ListInput).query(({ ctx, input }) => jobs(ctx.services).list(listQuery(input))),
    get: read.input(TextId).query(({ ctx, input }) => jobs(ctx.services).get(input.id)),
    /** Streams: the job, and again when it has changed, until it has ended. */
    watch: read
      .input(TextId)
      .subscription(({ ctx, input, signal }) => jobs(ctx.services).watch(input.id, signal ?? never)),
    create: write.input(JobInput).mutation(({ ctx, input }) => jobs(ctx.services).create(input, ctx.caller)),
    cancel: write.input(TextId).mutation(({ ctx, input }) => jobs(ctx.services).cancel(input.id, ctx.caller)),
  })
}
